import { describe, expect, it } from 'vitest';
import { type BetaETuple, queryFromBetaE, queryToBetaE } from './betae.ts';
import { type StructureName, structureNames, structures } from './structures.ts';
import { instantiate, matchStructure } from './template.ts';

const e = [1, 2, 3];
const r = [4, 5, 6];
const tuples: Record<StructureName, BetaETuple> = {
  '1p': [1, [4]],
  '2p': [1, [4, 5]],
  '3p': [1, [4, 5, 6]],
  '2i': [
    [1, [4]],
    [2, [5]],
  ],
  '3i': [
    [1, [4]],
    [2, [5]],
    [3, [6]],
  ],
  pi: [
    [1, [4, 5]],
    [2, [6]],
  ],
  ip: [
    [
      [1, [4]],
      [2, [5]],
    ],
    [6],
  ],
  '2u': [[1, [4]], [2, [5]], [-1]],
  up: [[[1, [4]], [2, [5]], [-1]], [6]],
  '2in': [
    [1, [4]],
    [2, [5, -2]],
  ],
  '3in': [
    [1, [4]],
    [2, [5]],
    [3, [6, -2]],
  ],
  inp: [
    [
      [1, [4]],
      [2, [5, -2]],
    ],
    [6],
  ],
  pin: [
    [1, [4, 5]],
    [2, [6, -2]],
  ],
  pni: [
    [1, [4, 5, -2]],
    [2, [6]],
  ],
};

describe.each(structureNames)('tuple of %s', (name) => {
  it('is read as the structure and written as KGReasoning has it', () => {
    const query = instantiate(structures[name].template, e, r);
    expect(queryFromBetaE(tuples[name])).toEqual(query);
    expect(queryToBetaE(query)).toEqual(tuples[name]);
  });
});

describe('queryFromBetaE', () => {
  it.each<[StructureName, BetaETuple]>([
    [
      '2in',
      [
        [791, [241]],
        [1014, [74, -2]],
      ],
    ],
    [
      'pni',
      [
        [6409, [21, 4, -2]],
        [8010, [155]],
      ],
    ],
    [
      'inp',
      [
        [
          [791, [241]],
          [1014, [74, -2]],
        ],
        [3],
      ],
    ],
  ])('reads %s as drawn from FB15k-237', (name, tuple) => {
    expect(matchStructure(queryFromBetaE(tuple))?.structure.name).toBe(name);
  });

  it('reads a union in De Morgan form, whose negation follows the conjunction', () => {
    const query = queryFromBetaE([
      [
        [1, [4, -2]],
        [2, [5, -2]],
      ],
      [-2],
    ]);
    expect(query).toMatchObject({
      op: 'not',
      operand: { op: 'and', operands: [{ op: 'not' }, { op: 'not' }] },
    });
  });

  it('reads a number alone as an anchor', () => {
    expect(queryFromBetaE(7)).toEqual({ op: 'entity', entity: 7 });
    expect(queryFromBetaE([7, []])).toEqual({ op: 'entity', entity: 7 });
  });

  it.each<[string, unknown, string, string]>([
    ['a string', 'x', 'expected an entity id or an array, got "x"', '$'],
    ['nothing', [], 'and: expected two or more operands, got 0', '$'],
    ['a conjunction of one', [[1, [4]], [[2, [5]]]], 'and: expected two or more operands, got 1', '$[1]'],
    ['a union of one', [[1, [4]], [-1]], 'or: expected two or more operands, got 1', '$'],
    [
      'a union among relations',
      [1, [4, -1]],
      'expected a relation id >= 0 (or -2 for a negation), got -1',
      '$[1][1]',
    ],
    ['a negative entity', [-5, [4]], 'expected an entity id >= 0, got -5', '$[0]'],
    ['a fraction', [1, [4.5]], 'got 4.5', '$[1][0]'],
    ['relations after two queries', [[1, [4]], [2, [5]], [6]], 'expected [query, [relation, …]]', '$'],
    ['null within', [[1, [4]], null], 'got null', '$[1]'],
  ])('refuses %s', (_, tuple, message, path) => {
    expect(() => queryFromBetaE(tuple)).toThrow(
      expect.objectContaining({ code: 'query', path, message: expect.stringContaining(message) }),
    );
  });

  it('refuses what is nested too deep instead of overflowing the stack', () => {
    let tuple: unknown = 1;
    for (let i = 0; i < 100_000; i++) tuple = [tuple, [1]];
    expect(() => queryFromBetaE(tuple)).toThrow('at most 64 levels');
    expect(() => queryFromBetaE([1, new Array(100).fill(2)])).toThrow('at most 64 levels');
    expect(() => queryFromBetaE(new Array(5000).fill([1, [2]]))).toThrow('at most 1024 nodes');
  });
});
