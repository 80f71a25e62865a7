import { createRandom, type Random } from '@fuzzqe/core';
import type { StructureName } from '@fuzzqe/core/query';
import { createProgram, evaluate, gather, input, numeric } from '@fuzzqe/core/tensor';
import { describe, expect, it } from 'vitest';
import { type ModelConfig, plainModel } from '../../config/config.ts';
import type { Parameters } from '../../config/of-parameters.ts';
import { anchorVectors, linkScores, logicOf } from '../../programs/formulas.ts';
import { initialiseParameters, numericParameters, trainedParameters } from '../../programs/parameters.ts';
import { plainDeviations } from '../../testing/plain-deviations.ts';
import { gqe, gqeDeepSets } from './gqe.ts';

const m = 3;
const configOf = (relationForm: 'gqe' | 'gqeDeepSets', parts: number): ModelConfig => ({
  ...{ ...plainModel, relationForm, dimension: parts * m },
  ...{ entities: 7, relations: 4 },
});

/** Every layer away from its start, with biases. */
function parametersOf(config: ModelConfig): Parameters {
  const random = createRandom(config.relationForm);
  const start = initialiseParameters(config, random);
  const moved = (layers?: Float32Array) => layers?.map((value) => value + 0.3 * random.normal());
  return Object.fromEntries(
    Object.entries({
      ...start,
      setAttention: moved(start.setAttention),
      setGate: moved(start.setGate),
    }).filter(([, values]) => values !== undefined),
  ) as unknown as Parameters;
}

/** Rows of a table. */
const row = (table: Float32Array | undefined, at: number): number[] =>
  Array.from(table!.subarray(at * m, (at + 1) * m));

/** The papers' formulas in plain numbers: a query is a list of points, the alternatives. */
function plainly({ entities, coefficients, setAttention, setGate }: Parameters) {
  const layers = setAttention ?? setGate!;
  const layer = (at: number, x: readonly number[]): number[] =>
    Array.from({ length: m }, (_, column) =>
      x.reduce(
        (sum, value, i) => sum + value * layers[(at * (m + 1) + i) * m + column]!,
        at === 0 || setGate ? layers[(at * (m + 1) + m) * m + column]! : 0,
      ),
    );
  const first = (x: readonly number[]): number[] => layer(0, x).map((value) => Math.max(value, 0));
  const joined = (points: readonly (readonly number[])[]): number[] => {
    if (setGate) {
      const seen = points.map(first);
      const mean = Array.from({ length: m }, (_, i) =>
        seen.reduce((sum, each) => sum + each[i]! / seen.length, 0),
      );
      return layer(1, mean);
    }
    const weights = points.map((point) => layer(1, first(point)).map(Math.exp));
    return Array.from({ length: m }, (_, i) => {
      const total = weights.reduce((sum, each) => sum + each[i]!, 0);
      return points.reduce((sum, point, p) => sum + (weights[p]![i]! / total) * point[i]!, 0);
    });
  };
  return {
    hop: (points: readonly number[][], relation: number): number[][] =>
      points.map((point) => point.map((value, i) => value + row(coefficients, relation)[i]!)),
    point: (entity: number): number[][] => [row(entities, entity)],
    and: (...of: readonly number[][][]): number[][] => [joined(of.map(([only]) => only!))],
    distance: (points: readonly number[][], entity: number): number =>
      Math.min(
        ...points.map((point) =>
          point.reduce((sum, value, i) => sum + Math.abs(value - row(entities, entity)[i]!), 0),
        ),
      ),
  };
}

describe.each([
  [gqe, 4],
  [gqeDeepSets, 6],
] as const)('$name', (family, parts) => {
  const config = configOf(family.name as 'gqe', parts);
  const parameters = parametersOf(config);
  const { hop, point, and, distance } = plainly(parameters);
  const path = (entity: number, ...relations: readonly number[]): number[][] =>
    relations.reduce((points, relation) => hop(points, relation), point(entity));
  const cases: readonly [StructureName, number[], number[], number[][]][] = [
    ['1p', [1], [0], path(1, 0)],
    ['3p', [1], [0, 3, 2], path(1, 0, 3, 2)],
    ['2i', [1, 2], [0, 3], and(path(1, 0), path(2, 3))],
    ['3i', [1, 2, 4], [0, 3, 1], and(path(1, 0), path(2, 3), path(4, 1))],
    ['pi', [1, 2], [0, 3, 1], and(path(1, 0, 3), path(2, 1))],
    ['ip', [1, 2], [0, 3, 1], hop(and(path(1, 0), path(2, 3)), 1)],
    ['2u', [1, 2], [0, 3], [...path(1, 0), ...path(2, 3)]],
    ['up', [1, 2], [0, 3, 1], hop([...path(1, 0), ...path(2, 3)], 1)],
  ];

  it.each(cases)('has the distances of plain numbers: %s', (name, anchors, relations, points) => {
    const expected = Array.from({ length: config.entities }, (_, entity) => distance(points, entity));
    const { own, others } = plainDeviations({ config, parameters }, { name, anchors, relations, expected });
    expect(own).toBeLessThan(5e-10);
    expect(others).toBeGreaterThan(1e-3);
  });

  it('goes through the alternatives of a disjunction in a conjunction', () => {
    const logic = logicOf(config, trainedParameters(config));
    const random = createRandom('alternatives');
    const vector = (name: string) => input(name, 'float', [1, m]);
    const [a, b, c] = ['a', 'b', 'c'].map((name) => anchorVectors(config, vector(name))) as [
      ReturnType<typeof input>,
      ReturnType<typeof input>,
      ReturnType<typeof input>,
    ];
    const entities = input('others', 'float', [config.entities, m]);
    const outputs = {
      left: family.distances!(config, logic.conjunction(logic.disjunction(a, b), c), entities),
      right: family.distances!(config, logic.conjunction(c, logic.disjunction(a, b)), entities),
      first: family.distances!(config, logic.conjunction(a, c), entities),
      second: family.distances!(config, logic.conjunction(b, c), entities),
    };
    const drawn = (rows: number, source: Random) =>
      numeric(
        [rows, m],
        Float64Array.from({ length: rows * m }, () => source.normal()),
      );
    const found = evaluate(
      createProgram({ name: 'alternatives', inputs: [...['a', 'b', 'c'].map(vector), entities], outputs }),
      {
        ...numericParameters(config, parameters),
        a: drawn(1, random),
        b: drawn(1, random),
        c: drawn(1, random),
        others: drawn(config.entities, random),
      },
    );
    const of = (name: string): number[] => Array.from(found[name]!.data);
    const nearest = of('first').map((value, i) => Math.min(value, of('second')[i]!));
    for (const side of ['left', 'right'])
      of(side).forEach((value, i) => {
        expect(value).toBeCloseTo(nearest[i]!, 9);
      });
    expect(of('first')).not.toEqual(of('second'));
  });

  it('scores links by their distances, and an entity the more the nearer it is', () => {
    const trained = trainedParameters(config);
    const head = anchorVectors(config, gather(trained.entities, input('h', 'int', [1])));
    const outputs = {
      links: linkScores(config, head, trained.entities),
      scores: family.scores(config, head, trained.entities),
    };
    const { links, scores } = evaluate(
      createProgram({ name: 'links', inputs: [input('h', 'int', [1])], outputs }),
      {
        ...numericParameters(config, parameters),
        h: numeric([1], Int32Array.of(2)),
      },
    );
    expect(links!.data[2]).toBeCloseTo(0, 12);
    expect(scores!.data[2]).toBe(1);
    links!.data.forEach((value, i) => {
      expect(scores!.data[i]).toBeCloseTo(1 / (1 - value), 12);
    });
  });
});

it('a conjunction by a network starts as the mean of its operands', () => {
  const config = configOf('gqeDeepSets', 6);
  const { setGate, ...rest } = initialiseParameters(config, createRandom('start'));
  const { point, and } = plainly({ ...rest, setGate: setGate! });
  const operands = [point(1), point(2), point(4)];
  and(...operands)[0]!.forEach((value, i) => {
    expect(value).toBeCloseTo(
      operands.reduce((sum, [each]) => sum + each![i]! / 3, 0),
      5,
    );
  });
});

it.each([
  [gqe, 4],
  [gqeDeepSets, 6],
] as const)('$name names the dimensions that it can have', ({ name, parameters }, parts) => {
  expect(() => parameters({ ...configOf(name as 'gqe', parts), dimension: 32 + parts / 2 })).toThrow(
    expect.objectContaining({
      ...{ code: 'config', path: '$.model.dimension' },
      message: expect.stringContaining(`a multiple of ${parts} for ${name}`),
    }),
  );
});
