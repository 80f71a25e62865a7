import { join } from 'node:path';
import { createKnowledgeGraph } from '@fuzzqe/core';
import { createSetLogic, defaultProjection, type LinkDegrees, type SetsState } from '@fuzzqe/core/sets';
import { expect, it } from 'vitest';
import { folderWriter } from '../files/folder-writer.ts';
import { profiles } from '../profiles/profiles.ts';
import { sampleConfig, sampleExport } from '../testing/sample.ts';
import { inTemporaryFolder } from '../testing/temporary-folder.ts';
import { openWeights } from '../weights/weights-reader.ts';
import { writeWeights } from '../weights/write-weights.ts';
import { goldenCases } from './golden-cases.ts';
import type { GoldenQuery } from './golden-query.ts';

/** Three relations: without many tails, with many tails of a single entity, and with as many tails of two entities. */
const [plain, ofOne, ofTwo] = [0, 2, 4];

const facts = createKnowledgeGraph({
  entityCount: sampleConfig.entities,
  relationCount: sampleConfig.relations,
  triples: Int32Array.from(
    [
      [0, plain, 1],
      ...[10, 11, 12, 13].flatMap((tail) => [
        [5, ofOne, tail],
        [5, ofTwo, tail],
        [6, ofTwo, tail + 10],
      ]),
    ].flat(),
  ),
});

/** Links whose degrees are all the same but for rounding. */
const links: LinkDegrees = {
  async rows(heads, relations) {
    const rows = new Float32Array(heads.length * facts.entityCount);
    heads.forEach((head, i) => {
      const row = rows.subarray(i * facts.entityCount, (i + 1) * facts.entityCount);
      for (let e = 0; e < row.length; e += 1) row[e] = 0.5 + e * 2 ** -24;
      for (const tail of facts.tails(head, relations[i]!)) row[tail] = 1;
    });
    return rows;
  },
};

/**
 * Of a set's predicted members one is taken along, that through which most can be reached. Degrees of any two entities are as near as
 * rounding: along `ofOne` its many tails decide, along `ofTwo` nothing does.
 */
const state: SetsState = {
  links,
  logic: createSetLogic('product'),
  projection: { ...defaultProjection, predictedMembers: 1 },
  facts,
};

const chain = (structure: '1p' | '2p' | '3p', ...relations: number[]): GoldenQuery => ({
  structure,
  anchors: [0],
  relations,
});

it('gives golden cases no set where runtimes may take different members along, but one of each structure', () =>
  inTemporaryFolder(async (folder) => {
    const writer = folderWriter(folder);
    const { parameters, graph } = sampleExport();
    const target = { profile: profiles.fp32, file: await writer.open('weights.bin') };
    await writeWeights(sampleConfig, { parameters, graph }, [target], { check: () => {}, step: () => {} });
    const weights = await openWeights(join(folder, 'weights.bin'), profiles.fp32, sampleConfig);
    const queries = [
      chain('2p', plain, ofTwo),
      chain('2p', plain, ofOne),
      chain('2p', plain, ofTwo),
      chain('3p', plain, ofTwo, plain),
      chain('3p', plain, ofTwo, plain),
      chain('1p', plain),
    ];
    const { cases } = await goldenCases(sampleConfig, weights, queries, 5, state);
    await weights.close();
    expect(cases.map(({ structure, relations, sets }) => [structure, relations[1], sets !== null])).toEqual([
      ['1p', undefined, true],
      ['2p', ofTwo, false],
      ['2p', ofOne, true],
      ['2p', ofTwo, false],
      // Of a structure that has no other, the first: what is not compared is not known to be right.
      ['3p', ofTwo, true],
      ['3p', ofTwo, false],
    ]);
  }));
