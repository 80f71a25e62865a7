import { createRandom } from '@fuzzqe/core';
import type { StructureName } from '@fuzzqe/core/query';
import { describe, expect, it } from 'vitest';
import { type ModelConfig, plainModel } from '../../config/config.ts';
import { initialiseParameters } from '../../programs/parameters.ts';
import { plainDeviations } from '../../testing/plain-deviations.ts';
import { query2box } from './query2box.ts';

const m = 3;
const config: ModelConfig = {
  ...{ ...plainModel, relationForm: 'query2box', dimension: 12 * m },
  ...{ entities: 7, relations: 4 },
};
const random = createRandom('query2box');
const start = initialiseParameters(config, random);
// Biases count, too, and so do negative offsets.
const parameters = {
  ...start,
  coefficients: start.coefficients.map((value, at) => (at % (2 * m) < m ? value : value - 4)),
  setAttention: start.setAttention!.map((value) => value + 0.2 * random.normal()),
  setGate: start.setGate!.map((value) => value + 0.2 * random.normal()),
};

type Point = readonly number[];
interface Box {
  readonly centre: Point;
  readonly offset: Point;
}
const each = <T>(of: (i: number) => T): T[] => Array.from({ length: m }, (_, i) => of(i));
const row = (table: Float32Array, at: number): number[] => Array.from(table.subarray(at * m, (at + 1) * m));
const layer = (layers: Float32Array, at: number, x: Point, hasBias = true): number[] =>
  each((column) =>
    x.reduce(
      (sum, value, i) => sum + value * layers[(at * (m + 1) + i) * m + column]!,
      hasBias ? layers[(at * (m + 1) + m) * m + column]! : 0,
    ),
  );
const relu = (x: Point): number[] => x.map((value) => Math.max(value, 0));
const mean = (points: readonly Point[]): number[] =>
  each((i) => points.reduce((sum, point) => sum + point[i]! / points.length, 0));

/** The paper's formulas in plain numbers. */
const point = (entity: number): Box => ({ centre: row(parameters.entities, entity), offset: each(() => 0) });
const hop = ({ centre, offset }: Box, relation: number): Box => {
  const [move, grow] = [
    row(parameters.coefficients, 2 * relation),
    row(parameters.coefficients, 2 * relation + 1),
  ];
  return { centre: each((i) => centre[i]! + move[i]!), offset: each((i) => offset[i]! + grow[i]!) };
};
const and = (...boxes: readonly Box[]): Box => {
  const { setAttention, setGate } = parameters;
  const weights = boxes.map(({ centre }) =>
    layer(setAttention, 1, relu(layer(setAttention, 0, centre)), false).map(Math.exp),
  );
  const seen = mean(boxes.map(({ offset }) => relu(layer(setGate, 0, offset))));
  const gate = layer(setGate, 1, seen).map((value) => 1 / (1 + Math.exp(-value)));
  return {
    centre: each((i) => {
      const total = weights.reduce((sum, weight) => sum + weight[i]!, 0);
      return boxes.reduce((sum, { centre }, at) => sum + (weights[at]![i]! / total) * centre[i]!, 0);
    }),
    offset: each((i) => gate[i]! * Math.min(...boxes.map(({ offset }) => offset[i]!))),
  };
};
const distance = (boxes: readonly Box[], entity: number): number =>
  Math.min(
    ...boxes.map(({ centre, offset }) =>
      each((i) => {
        const far = Math.abs(row(parameters.entities, entity)[i]! - centre[i]!);
        return Math.max(far - offset[i]!, 0) + 0.02 * Math.abs(Math.min(far, offset[i]!));
      }).reduce((sum, value) => sum + value, 0),
    ),
  );

describe('Query2Box', () => {
  const path = (entity: number, ...relations: readonly number[]): Box => relations.reduce(hop, point(entity));
  const cases: readonly [StructureName, number[], number[], Box[]][] = [
    ['1p', [1], [0], [path(1, 0)]],
    ['3p', [1], [0, 3, 2], [path(1, 0, 3, 2)]],
    ['2i', [1, 2], [0, 3], [and(path(1, 0), path(2, 3))]],
    ['3i', [1, 2, 4], [0, 3, 1], [and(path(1, 0), path(2, 3), path(4, 1))]],
    ['pi', [1, 2], [0, 3, 1], [and(path(1, 0, 3), path(2, 1))]],
    ['ip', [1, 2], [0, 3, 1], [hop(and(path(1, 0), path(2, 3)), 1)]],
    ['2u', [1, 2], [0, 3], [path(1, 0), path(2, 3)]],
    ['up', [1, 2], [0, 3, 1], [hop(path(1, 0), 1), hop(path(2, 3), 1)]],
  ];

  it.each(cases)('has the distances of plain numbers: %s', (name, anchors, relations, boxes) => {
    const expected = Array.from({ length: config.entities }, (_, entity) => distance(boxes, entity));
    const { own, others } = plainDeviations({ config, parameters }, { name, anchors, relations, expected });
    expect(own).toBeLessThan(5e-10);
    expect(others).toBeGreaterThan(1e-3);
  });

  it('refuses a dimension that twelve does not divide', () => {
    expect(() => query2box.parameters({ ...config, dimension: 16 })).toThrow(
      expect.objectContaining({
        message: expect.stringContaining('a multiple of 12 for query2box'),
        hint: 'Write {"model":{"dimension":24}}.',
      }),
    );
  });
});
