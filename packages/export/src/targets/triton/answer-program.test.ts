import { createRandom } from '@fuzzqe/core';
import { structureNames, structures } from '@fuzzqe/core/query';
import { evaluate, numeric, sizeOf } from '@fuzzqe/core/tensor';
import { domainShape, type ModelConfig } from '@fuzzqe/model';
import { describe, expect, it } from 'vitest';
import { fp32 } from '../../profiles/float-profiles.ts';
import { structureProgram } from '../../programs/structure-programs.ts';
import { tablesOf } from '../../programs/tables.ts';
import { blocksConfig } from '../../testing/sample.ts';
import { answerProgram, slotCount } from './answer-program.ts';

describe.each(['lengthened', 'domain'] as const)('rows of all structures, %s', (projectionInput) => {
  const config: ModelConfig = { ...blocksConfig, projectionInput, entities: 90 };
  const model = fp32.model(config);
  const random = createRandom('answer program');
  const table = (name: 'entityEmbeddings' | 'relationBlocks', of: () => number) => {
    const shape = tablesOf(config).find((table) => table.name === name)!.shape as readonly [number, number];
    return numeric(shape, Float64Array.from({ length: shape[0] * shape[1] }, of));
  };
  const d = config.dimension;
  const free = table('entityEmbeddings', () => 0.6 + 0.8 * random.uniform());
  const sumOf = (entity: number): number =>
    Array.from(free.data.slice(entity * d, (entity + 1) * d)).reduce((sum, value) => sum + value, 0);
  const weights = {
    // Each sums to 1, as p_e do.
    entityEmbeddings: numeric(
      free.shape,
      Float64Array.from(free.data, (value, at) => value / sumOf(Math.floor(at / d))),
    ),
    relationBlocks: table('relationBlocks', () => random.normal()),
    relationHeads: numeric(
      domainShape(config),
      Int32Array.from({ length: sizeOf(domainShape(config)) }, () => random.below(90)),
    ),
    relationTails: numeric(
      domainShape(config),
      Int32Array.from({ length: sizeOf(domainShape(config)) }, () => random.below(5)),
    ),
  };

  it('have the answers of the graphs of their structures', () => {
    const k = 7;
    const rows = structureNames.map((name) => {
      const { anchors, relations } = structures[name];
      const ids = (count: number, below: number): number[] =>
        Array.from({ length: count }, () => random.below(below));
      return { name, anchors: ids(anchors, config.entities), relations: ids(relations, config.relations) };
    });
    const filled = (slots: readonly number[]): number[] =>
      Array.from({ length: slotCount }, (_, slot) => slots[slot] ?? slots[0]!);
    const together = evaluate(answerProgram(model, k), {
      ...weights,
      structure: numeric([rows.length, 1], Int32Array.from(rows.keys())),
      anchors: numeric([rows.length, slotCount], Int32Array.from(rows.flatMap((row) => filled(row.anchors)))),
      relations: numeric(
        [rows.length, slotCount],
        Int32Array.from(rows.flatMap((row) => filled(row.relations))),
      ),
    });
    rows.forEach(({ name, anchors, relations }, row) => {
      const { embedding } = evaluate(structureProgram(model, name), {
        ...weights,
        anchors: numeric([1, anchors.length], Int32Array.from(anchors)),
        relations: numeric([1, relations.length], Int32Array.from(relations)),
      });
      const scores = Array.from({ length: config.entities }, (_, e) =>
        Array.from(embedding!.data).reduce(
          (sum, value, i) => sum + value * weights.entityEmbeddings.data[e * d + i]!,
          0,
        ),
      );
      const best = [...scores.keys()].sort((a, b) => scores[b]! - scores[a]!).slice(0, k);
      expect([name, ...together['ids']!.data.slice(row * k, (row + 1) * k)]).toEqual([name, ...best]);
    });
  });
});
