import { type LogicName, logicNames, logics, sugenoNegation } from '@fuzzqe/core/logic';
import { furtherLaws, type Law, paperLaws, violationOf } from '@fuzzqe/parity';
import { describe, expect, it } from 'vitest';
import { everyChoice } from './every-choice.ts';
import { sidesInFloat64 } from './float64-sides.ts';

const lambdas = [-0.99, -0.6, 0.5, 100];
const steps = Array.from({ length: 17 }, (_, i) => i / 16);

/** By how much the claims of a law are missed at most, on a grid of its operands. */
function missedBy(law: Law, name: LogicName, lambda: number): number {
  const logic = { ...logics[name], negation: sugenoNegation(lambda) };
  const sides = sidesInFloat64(law, logic)(everyChoice(steps, law.arity));
  return violationOf(law, sides, { absolute: 0, relative: 0 })?.gap ?? 0;
}

describe("Sugeno's negation", () => {
  describe.each(logicNames)('in %s logic', (logic) => {
    it.each(lambdas)('keeps the eight laws of the paper, for λ = %d', (lambda) => {
      for (const law of paperLaws) expect(missedBy(law, logic, lambda), law.name).toBeLessThan(1e-12);
    });
  });

  it('keeps the laws of De Morgan in Gödel logic alone', () => {
    const laws = furtherLaws.filter(({ name }) => name.startsWith('De Morgan'));
    expect(laws).toHaveLength(2);
    for (const law of laws) {
      expect(missedBy(law, 'godel', -0.6)).toBeLessThan(1e-12);
      expect(missedBy(law, 'product', -0.6)).toBeGreaterThan(0.01);
      expect(missedBy(law, 'lukasiewicz', -0.6)).toBeGreaterThan(0.01);
    }
  });
});
