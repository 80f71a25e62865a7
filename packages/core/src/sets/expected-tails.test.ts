import { expect, it } from 'vitest';
import { createRandom } from '../index.ts';
import { someGraph } from '../testing/some-graph.ts';
import { expectedTails } from './expected-tails.ts';

it('the tails that are expected are a tenth of the recorded ones, within bounds', () => {
  const facts = someGraph(createRandom('expected tails'), 19, 4, 60);
  const expected = expectedTails(facts, 1);
  const counts = Array.from({ length: 19 }, (_, e) => facts.tails(e, 1).length);
  expect(new Set(counts).size).toBeGreaterThan(4);
  expect([...expected]).toEqual(
    counts.map((count) => Math.fround(Math.min(0.3, 0.1 * Math.max(count, 0.1)))),
  );
});
