import { type LogicName, logicNames, logics } from '@fuzzqe/core/logic';
import { furtherLaws, type Law, laws, paperLaws, violationOf } from '@fuzzqe/parity';
import { describe, expect, it } from 'vitest';
import { everyChoice } from './every-choice.ts';
import { sidesInFloat64 } from './float64-sides.ts';

/** Multiples of 1/4 in [0, 1]: nothing that follows from them is rounded. */
const quarters = [0, 0.25, 0.5, 0.75, 1];
const exact = { absolute: 0, relative: 0 };

/** Whether a law holds for every element of the operands. */
function holdsFor(law: Law, logic: LogicName, operands: readonly (readonly number[])[]): boolean {
  return violationOf(law, sidesInFloat64(law, logics[logic])(operands), exact) === undefined;
}

describe('the laws', () => {
  it('begin with the eight of the paper, in its order, which every logic obeys', () => {
    expect(laws.slice(0, 8)).toEqual(paperLaws);
    expect(paperLaws.map(({ numeral }) => numeral)).toEqual([
      'I',
      'II',
      'III',
      'IV',
      'V',
      'VI',
      'VII',
      'VIII',
    ]);
    for (const { verdicts } of paperLaws)
      expect(new Set(Object.values(verdicts))).toEqual(new Set(['holds']));
    expect(furtherLaws.every(({ numeral }) => numeral === undefined)).toBe(true);
  });

  it('have names of their own', () => {
    expect(new Set(laws.map(({ name }) => name)).size).toBe(laws.length);
  });

  describe.each(logicNames)('in %s logic', (logic) => {
    it.each(laws)(
      '$name: $statement holds on a grid of truth values, or its counter-example breaks it',
      (law) => {
        const verdict = law.verdicts[logic];
        expect(holdsFor(law, logic, everyChoice(quarters, law.arity))).toBe(verdict === 'holds');
        if (verdict === 'holds') return;
        expect(verdict).toHaveLength(law.arity);
        expect(
          holdsFor(
            law,
            logic,
            verdict.map((value) => [value]),
          ),
        ).toBe(false);
      },
    );
  });
});
