import { createRandom } from '@fuzzqe/core';
import {
  constant,
  createProgram,
  evaluate,
  input,
  matmul,
  numeric,
  type Program,
  transpose,
} from '@fuzzqe/core/tensor';
import { type FamilyName, type ModelConfig, scoredEntity } from '@fuzzqe/model';
import { describe, expect, it } from 'vitest';
import { blocksConfig, sampleConfig } from '../testing/sample.ts';
import { quantisedEntities, quantisedEntityModel } from './quantised-entities.ts';

const [entities, rows, temperature] = [40, 12, 20];

/** The program of the logits of links from some rows, for a model of so many dimensions. */
function logitsProgram(config: ModelConfig): Program {
  const x = input('x', 'float', [rows, config.dimension]);
  const scale = input('temperature', 'float', [1]);
  const logits = quantisedEntityModel(config, 'matrix').linkLogits(scale, x);
  return createProgram({ name: 'logits', inputs: [x, scale], outputs: { logits } });
}

const configOf = (relationForm: FamilyName, dimension: number): ModelConfig => ({
  ...(relationForm === 'blocks' ? blocksConfig : sampleConfig),
  entities,
  dimension,
});

describe('rows of links to all entities', () => {
  it.each([
    ['bases', 383, 2],
    ['bases', 384, 1],
    ['bases', 400, 1],
    ['blocks', 384, 2],
  ] as const)('of %s in %i dimensions are in %i codes', (form, dimension, count) => {
    const products = logitsProgram(configOf(form, dimension)).nodes.filter(
      ({ op }) => op === 'integerMatmul',
    );
    expect(products.map(({ shape }) => shape)).toEqual([[rows, count, entities]]);
  });

  it('have cosines with the entities themselves, as near as their codes are', () => {
    const config: ModelConfig = {
      ...configOf('bases', 384),
      entityNormalisation: 'l2',
      score: 'innerProduct',
    };
    const random = createRandom('links');
    const numbers = (count: number) => Float32Array.from({ length: count }, () => random.uniform());
    const [x, raw] = [numbers(rows * 384), numbers(entities * 384)];
    const table = evaluate(
      createProgram({
        name: 'unit',
        inputs: [],
        outputs: { unit: scoredEntity({ ...config, score: 'cosine' }, constant([...raw], [entities, 384])) },
      }),
      {},
    )['unit']!;
    const stored = new Map(
      [...quantisedEntities(config, Float32Array.from(table.data), 'matrix')].map(({ tensor, bytes }) => [
        tensor,
        bytes.slice().buffer,
      ]),
    );
    const given = {
      x: numeric([rows, 384], x),
      temperature: numeric([1], [temperature]),
      entityCodes: numeric([384, entities], new Int8Array(stored.get('entityCodes')!)),
      entityScales: numeric([entities], new Float32Array(stored.get('entityScales')!)),
      entityMean: numeric([384], new Float32Array(stored.get('entityMean')!)),
    };
    const logits = evaluate(logitsProgram(config), given)['logits']!.data;
    const exact = evaluate(
      createProgram({
        name: 'exact',
        inputs: [],
        outputs: {
          products: matmul(
            constant([...x], [rows, 384]),
            transpose(constant([...table.data], [entities, 384]), [1, 0]),
          ),
        },
      }),
      {},
    )['products']!.data;
    const worst = (shift: number): number =>
      Math.max(
        ...Array.from(logits, (logit, at) => {
          const row = Math.floor(at / entities);
          const length = Math.hypot(...x.subarray(row * 384, (row + 1) * 384));
          const e = ((at % entities) + shift) % entities;
          return Math.abs(logit - (temperature * exact[row * entities + e]!) / length);
        }),
      );
    // Codes are off by 1/254 of the largest number, of a row and of an entity, in 384 independent ways.
    expect(worst(0)).toBeLessThan(0.02);
    expect(worst(1)).toBeGreaterThan(0.2);
  });
});
