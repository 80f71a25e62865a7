import { structureNames, structures } from '@fuzzqe/core/query';
import { expect, it } from 'vitest';
import { type Golden, type GoldenCase, manyEntities } from './golden.ts';
import { parseGolden } from './parse-golden.ts';
import { sampleBundle } from './testing/sample-bundle.ts';

const first: GoldenCase = {
  structure: '1p',
  anchors: [4],
  relations: [3],
  embedding: [0.5, 0.25],
  ids: [1, 0],
  scores: [0.5, 0.4],
  sets: { ids: [2, 3], degrees: [1, 0.25] },
};
const golden: Golden = {
  k: 2,
  cases: [
    first,
    ...structureNames.slice(1).map((structure) => ({
      ...first,
      structure,
      anchors: Array.from({ length: structures[structure].anchors }, () => 4),
      relations: Array.from({ length: structures[structure].relations }, () => 3),
    })),
  ],
};
const withCase = (change: object): unknown => ({
  k: 2,
  cases: [{ ...first, ...change }, ...golden.cases.slice(1)],
});
const without = (...names: readonly string[]): unknown => ({
  k: 2,
  cases: golden.cases.filter(({ structure }) => !names.includes(structure)),
});

it('reads golden cases, of any model or of a given one', async () => {
  const { manifest } = await sampleBundle();
  expect(parseGolden(golden)).toEqual(golden);
  expect(parseGolden(golden, manifest.model)).toEqual(golden);
});

it('asks for fewer fuzzy sets where there are many entities', async () => {
  const { manifest } = await sampleBundle();
  const lacking = (...names: readonly string[]): Golden => ({
    ...golden,
    cases: golden.cases.map((each) => (names.includes(each.structure) ? { ...each, sets: null } : each)),
  });
  const many = { ...manifest.model, entities: manyEntities + 1 };
  expect(parseGolden(lacking('3p', 'pni'), many).cases[2]!.sets).toBeNull();
  expect(() => parseGolden(lacking('3p', 'pni'), { ...many, entities: manyEntities })).toThrow(
    'none of 3p, pni',
  );
  expect(() => parseGolden(lacking('3p', '2p', '2in'), many)).toThrow('none of 2p, 2in');
});

it.each([
  [{ k: 2, cases: [] }, `expected a golden case of each structure, got none of ${structureNames.join(', ')}`],
  [without('2in', 'up'), 'expected a golden case of each structure, got none of up, 2in'],
  [withCase({ structure: '4p' }), '$.cases[0].structure'],
  [withCase({ anchors: [1, 2] }), '$.cases[0].anchors: expected length 1, got length 2'],
  [withCase({ scores: [1] }), '$.cases[0].scores: expected length 2, got length 1'],
  [withCase({ scores: [1, null] }), '$.cases[0].scores[1]: expected a number'],
  [withCase({ anchors: [5] }), '$.cases[0].anchors: expected ids in [0, 5), got 5'],
  [withCase({ relations: [-1] }), '$.cases[0].relations[0]: expected an integer >= 0'],
  [withCase({ sets: { ids: [2], degrees: [1, 0] } }), '$.cases[0].sets.ids: expected length 2, got length 1'],
  [
    withCase({ sets: { ids: [2, 5], degrees: [1, 0] } }),
    '$.cases[0].sets.ids: expected ids in [0, 5), got 5',
  ],
  [
    withCase({ sets: { ids: [2, 3], degrees: [1.5, 0] } }),
    '$.cases[0].sets.degrees[0]: expected a number in [0, 1]',
  ],
  [withCase({ sets: null }), 'expected a golden case with a fuzzy set of each structure, got none of 1p'],
  [withCase({ embedding: [1] }), '$.cases[0].embedding: expected length 2, got length 1'],
])('refuses %j', async (json, message) => {
  const { manifest } = await sampleBundle();
  expect(() => parseGolden(json, manifest.model)).toThrow(message);
});
