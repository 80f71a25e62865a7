import { expect, it } from 'vitest';
import { createRandom } from '../index.ts';
import { logicNames } from '../logic/index.ts';
import { planPattern } from '../query/index.ts';
import { evenLinks } from '../testing/even-links.ts';
import { plainPattern } from '../testing/plain-pattern.ts';
import { someGraph } from '../testing/some-graph.ts';
import { somePattern } from '../testing/some-pattern.ts';
import { answerPattern, isExact } from './answer-pattern.ts';
import { createSetLogic } from './set-logic.ts';

const projection = { support: 0, certainMembers: 1000, predictedMembers: 1000 };

/** Sizes whose assignments can be counted through: entities to the power of the variables. */
const sizes = [
  { variables: 5, entityCount: 4 },
  { variables: 4, entityCount: 6 },
  { variables: 3, entityCount: 12 },
  { variables: 2, entityCount: 60 },
];

it.each(logicNames)('1700 patterns have the degrees of all assignments in %s logic', async (logic) => {
  const random = createRandom('many patterns', logic);
  let largest = 0;
  for (const { variables, entityCount } of sizes) {
    const facts = someGraph(random, entityCount, 6, 4 * entityCount);
    const links = evenLinks(facts, random);
    const state = { links, logic: createSetLogic(logic), projection, facts };
    const plain = { logic, settings: projection, facts, links };
    for (let drawn = 0; drawn < 1700 / sizes.length; drawn += 1) {
      const pattern = somePattern(random, { entityCount, relationCount: 6, variables, atoms: 8 - variables });
      const found = await answerPattern(state, planPattern(pattern), {
        k: 10_000,
        links: 100_000,
        width: entityCount,
      });
      expect(isExact(found)).toBe(true);
      const expected = plainPattern(plain, pattern);
      const count = pattern.answers.length;
      found.degrees.forEach((degree, i) => {
        const key = found.tuples.subarray(i * count, (i + 1) * count).join(' ');
        const apart = Math.abs(degree - (expected.get(key) ?? 0));
        if (apart > 3e-6) expect.fail(`${JSON.stringify(pattern)}: ${key} is ${apart} apart`);
        expected.delete(key);
      });
      // Rounding may leave a degree of 0 where double precision has a little.
      expect(Math.max(0, ...expected.values())).toBeLessThan(3e-6);
      largest = Math.max(largest, found.degrees.length);
    }
  }
  expect(largest).toBeGreaterThan(300);
});
