import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readGolden, verifyBundle } from '@fuzzqe/bundle';
import { createKnowledgeGraph, createRandom, emptyKnowledgeGraph } from '@fuzzqe/core';
import { instantiate, type Query, structures, templateOf } from '@fuzzqe/core/query';
import { openEngine, planKinds } from '@fuzzqe/engine';
import { defaultSets, exportBundle, randomGoldenQueries } from '@fuzzqe/export';
import { basesOf, initialiseParameters, type ModelConfig, plainModel } from '@fuzzqe/model';
import { createVocabulary } from '@fuzzqe/names';
import { compareGolden } from '@fuzzqe/parity/testing';
import { folderSource, nodeSessions } from '@fuzzqe/serve';
import { expect, it } from 'vitest';
import { createReference } from '../fixtures/reference.ts';
import { expectReference } from './compare-query.ts';

/** At d = 800 one W_r takes 2 560 000 bytes: from relation 1678 on they lie beyond 2³² of the file. */
const config: ModelConfig = {
  ...plainModel,
  entities: 12,
  relations: 1700,
  dimension: 800,
  bases: 2,
  entityNormalisation: 'l1',
  projectionInput: 'raw',
};
/** The last relations, all of them beyond. */
const beyond = 20;
const first = config.relations - beyond;
const weights = 'models/fp32/weights.bin';

/** The same tree with other relations. */
function shifted(query: Query, by: number): Query {
  const { template, anchors, relations } = templateOf(query);
  return instantiate(
    template,
    anchors,
    relations.map((id) => id + by),
  );
}

/** Alters one bit of a file in its place. */
async function flipBit(path: string, position: number): Promise<void> {
  const file = await open(path, 'r+');
  const byte = new Uint8Array(1);
  await file.read(byte, 0, 1, position);
  byte[0]! ^= 1;
  await file.write(byte, 0, 1, position);
  await file.close();
}

// Minutes and 4.4 GB of disk: FUZZQE_LARGE_FILES=1 npx vitest run large-bundle.
const isAsked = process.env['FUZZQE_LARGE_FILES'] === '1';
it('a bundle with weights of more than 2³² bytes is exported, verified and answered from', {
  timeout: 1_800_000,
}, async ({ skip }) => {
  skip(!isAsked, 'it writes 4.4 GB: set FUZZQE_LARGE_FILES=1');
  const folder = await mkdtemp(join(tmpdir(), 'fuzzqe-large-'));
  try {
    const directory = join(folder, 'bundle');
    const random = createRandom('large bundle');
    const { entities, relations, bases } = config;
    const start = initialiseParameters(config, random);
    // As in the small random models: entities and relations that differ visibly.
    const parameters = {
      ...start,
      entities: start.entities.map((value) => 0.5 + 6 * (value - 0.5)),
      coefficients: start.coefficients.map((value) => 4 * value),
      biasBases: basesOf(start).biasBases.map((value) => value + 0.2 * random.normal()),
    };
    const asked = randomGoldenQueries({ ...config, relations: beyond }, 1, random.fork('golden'));
    const names = (kind: string, count: number) =>
      Array.from({ length: count }, (_, i) => ({ key: `${kind}${i}`, label: `${kind} ${i}` }));
    await exportBundle({
      directory,
      name: 'large',
      config,
      parameters,
      vocabulary: createVocabulary({ entities: names('e', entities), relations: names('r', relations / 2) }),
      graph: createKnowledgeGraph({
        entityCount: entities,
        relationCount: relations,
        triples: Int32Array.from([0, 0, 1, 1, first, 2, 2, relations - 2, 3]),
      }),
      data: { name: 'random', licence: 'CC0-1.0' },
      training: {},
      metrics: {},
      sets: defaultSets(config),
      goldenQueries: asked.map((query) => ({ ...query, relations: query.relations.map((id) => id + first) })),
      k: 10,
    });

    const source = folderSource(directory);
    const manifest = await verifyBundle(source);
    expect(manifest.files[weights]!.bytes).toBeGreaterThan(2 ** 32 + beyond * 4 * config.dimension ** 2);

    // A model of the last relations alone has small tables: what it answers owes nothing to the file.
    const few = createReference({
      config: { ...config, relations: beyond },
      parameters: { ...parameters, coefficients: parameters.coefficients.subarray(first * bases) },
      graph: emptyKnowledgeGraph(config.entities, beyond),
    });
    const queries = asked.map(({ structure, anchors, relations: along }) =>
      shifted(instantiate(structures[structure].template, anchors, along), first),
    );
    const engine = await openEngine({
      source,
      sessions: nodeSessions(directory, { threads: 1 }),
      verify: false,
    });
    try {
      for (const plan of planKinds)
        await expectReference(engine, (query, k) => few(shifted(query, -first), k), queries, plan);
      // With the sets, which float64 computed from the file.
      const { failures } = await compareGolden(engine, await readGolden(source, manifest, 'fp32'));
      expect(failures).toEqual([]);
      // Relations at the beginning of the file, where an offset of 32 bits would lead to, answer otherwise.
      await expect(
        expectReference(
          engine,
          (query, k) => few(shifted(query, -2), k),
          [shifted(queries[0]!, 2 - first)],
          'structure',
        ),
      ).rejects.toThrow(/structure/);
    } finally {
      await engine.close();
    }

    await flipBit(join(directory, weights), 2 ** 32 + 12_345_678);
    await expect(verifyBundle(source)).rejects.toMatchObject({
      code: 'bundle',
      message: expect.stringContaining(`${weights}: altered`),
    });
  } finally {
    await rm(folder, { recursive: true });
  }
});
