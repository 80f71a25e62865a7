import { createDataset, type Dataset } from '@fuzzqe/data';
import { createVocabulary } from '@fuzzqe/names';
import { expect, it } from 'vitest';
import { calibrationParts } from './calibration-parts.ts';

const size = 100;
const named = (key: string) => ({ key, label: key });
const vocabulary = createVocabulary({
  entities: Array.from({ length: size }, (_, i) => named(`e${i}`)),
  relations: [named('r')],
});
/** So many validation facts, each (i, r, j) once, in order. */
const withValid = (count: number, test: Int32Array = new Int32Array()): Dataset =>
  createDataset({
    ...{ name: 'x', licence: 'unknown', description: '', vocabulary, train: Int32Array.of(0, 0, 0), test },
    valid: Int32Array.from(
      Array.from({ length: count }, (_, i) => [Math.floor(i / size), 0, i % size]).flat(),
    ),
  });
const keys = (triples: Int32Array): string[] =>
  Array.from({ length: triples.length / 3 }, (_, i) => triples.subarray(3 * i, 3 * i + 3).join());

it('splits many validation facts in halves where no test facts are there to judge by', () => {
  const whole = withValid(4000);
  const { valid, test, train } = calibrationParts(whole);
  expect(train).toBe(whole.train);
  expect([...keys(valid), ...keys(test)].sort()).toEqual(keys(whole.valid).sort());
  expect(Math.abs(valid.length - test.length) / whole.valid.length).toBeLessThan(0.05);
  // A fact's half depends on the fact alone, neither on its place nor on the others.
  const fewer = calibrationParts(withValid(3500));
  expect(keys(valid).slice(0, keys(fewer.valid).length)).toEqual(keys(fewer.valid));
  // Heads and tails are on both sides: the hash follows no id.
  for (const column of [0, 2])
    for (const half of [valid, test])
      expect(new Set(half.filter((_, i) => i % 3 === column)).size).toBeGreaterThan(39);
});

it('leaves a data set with test facts, or with few validation facts, as it is', () => {
  for (const dataset of [withValid(999), withValid(4000, Int32Array.of(99, 0, 99)), withValid(0)])
    expect(calibrationParts(dataset)).toBe(dataset);
});
