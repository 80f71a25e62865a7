import type { LawReport } from '@fuzzqe/parity';
import { expect, it } from 'vitest';
import { formatLaws } from './laws.ts';

const report: LawReport = {
  ...({ bundle: 'mine', profile: 'fp32', logic: 'product', negationLambda: -0.5 } as const),
  laws: [
    {
      ...{ numeral: 'I', name: 'conjunction elimination', statement: 'a ∧ b ≤ a, a ∧ b ≤ b' },
      ...{ embedding: { choices: 8 }, sets: { choices: 8 } },
    },
    {
      ...{ numeral: 'VIII', name: 'non-contradiction', statement: 'a ≤ b ⇒ ¬b ≤ ¬a' },
      embedding: {
        choices: 8,
        broken: {
          queries: ['project(r, A)', 'project(r, B)'],
          ...{ entity: 'C', sides: ['¬b', '¬a'], left: 0.75, right: 0.5 },
        },
      },
    },
  ],
};

it('says of each law in each mode whether it holds, and shows what breaks it', () => {
  const text = formatLaws(report, 'text').join('\n');
  expect(text).toMatch(/\nI +conjunction elimination +a ∧ b ≤ a, a ∧ b ≤ b +not broken +not broken\n/);
  expect(text).toMatch(/\nVIII +non-contradiction +a ≤ b ⇒ ¬b ≤ ¬a +broken +–\n/);
  expect(text).toContain('  b = project(r, B)\n  C: ¬b has 0.75, ¬a has 0.5');
  expect(text).toContain('mine, fp32: product logic, negation with λ = -0.5');
  const without = formatLaws({ ...report, negationLambda: null }, 'text');
  expect(without.at(-1)).toBe('mine, fp32: product logic');
  expect(formatLaws(report, 'markdown')[1]).toBe('| --- | --- | --- | --- | --- |');
});
