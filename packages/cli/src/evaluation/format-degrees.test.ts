import { reliabilityOf } from '@fuzzqe/evidence';
import { expect, it } from 'vitest';
import { formatDegrees } from './format-degrees.ts';

const many = new Array<number>(50);
const report = (said: number, isTrue: (i: number) => boolean, untold = 0) => ({
  ...reliabilityOf(
    many.fill(said),
    Array.from(many, (_, i) => (isTrue(i) ? 1 : 0)),
  ),
  ...{ queries: 10, brier: 0.16, brierOfShare: 0.25, untold },
});
const good = report(0.5, (i) => i % 2 === 0, 25);
const none = { ...reliabilityOf([], []), queries: 3, brier: 0, brierOfShare: 0, untold: 0 };

it('has a row for each structure with its number of candidates, and one for each tenth of all', () => {
  const text = formatDegrees('FuzzQE, sets', { structures: { '2p': good }, all: good }, 'text', 100).join(
    '\n',
  );
  expect(text).toMatch(/^FuzzQE, sets: degrees of unrecorded answers/);
  expect(text).toMatch(/\n2p +50 +50\.0 +50\.0 +50\.0 +0\.0 +16\.0 +25\.0\n/);
  expect(text).toContain('25 of 50 came true; degrees are wrong by 0.0000 in the mean (ECE).');
  expect(text).toMatch(/50\.0 % +50\.0 % +50/);
  expect(text).not.toContain('~');
});

it('marks a structure with few candidates, and has no figures without any', () => {
  const text = formatDegrees('x', { structures: { '1p': none, '2p': good }, all: good }, 'text', 100).join(
    '\n',
  );
  expect(text).toMatch(/\n1p~ +0 +– +– +– +– +– +–\n/);
  expect(text).toContain('~ fewer than 30 candidates');
});
