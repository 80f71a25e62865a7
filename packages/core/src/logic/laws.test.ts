import { describe, expect, it } from 'vitest';
import { createRandom } from '../random.ts';
import { createProgram, evaluate, input, numeric } from '../tensor/index.ts';
import { furtherLaws } from './further-laws.ts';
import type { Law } from './law.ts';
import { laws, paperLaws } from './laws.ts';
import { type LogicName, logicNames, logics } from './logic.ts';
import { everyChoice, sidesOf } from './testing/law-sides.ts';

/** Multiples of 1/4 in [0, 1]: nothing that follows from them is rounded. */
const quarters = [0, 0.25, 0.5, 0.75, 1];

/** Whether a law holds for every element of the operands. */
function holdsFor(law: Law, logic: LogicName, operands: readonly (readonly number[])[]): boolean {
  const sides = sidesOf(law, logics[logic], operands);
  const satisfied = (kind: 'premise' | 'claim', at: number): boolean =>
    law[`${kind}s`].every(({ relation }, i) => {
      const left = sides[`${kind} ${i} left`]!.data[at]!;
      const right = sides[`${kind} ${i} right`]!.data[at]!;
      return relation === '=' ? left === right : relation === '<' ? left < right : left <= right;
    });
  return operands[0]!.every((_, at) => !satisfied('premise', at) || satisfied('claim', at));
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

describe('what is certain', () => {
  it.each(logicNames)('stays exactly 1 in an or, whatever the other operand is, in %s logic', (name) => {
    const random = createRandom('certain', name);
    const others = Array.from({ length: 500 }, () => random.uniform() / 3);
    const [a, b] = [input('a', 'float', [500]), input('b', 'float', [500])];
    const { disjunction } = logics[name];
    const outputs = { left: disjunction(a, b), right: disjunction(b, a) };
    const found = evaluate(createProgram({ name: 'or', inputs: [a, b], outputs }), {
      a: numeric([500], new Array<number>(500).fill(1)),
      b: numeric([500], others),
    });
    for (const side of ['left', 'right']) expect(new Set(found[side]!.data)).toEqual(new Set([1]));
  });
});
