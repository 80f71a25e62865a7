import { describe, expect, it } from 'vitest';
import { createRandom } from '../random.ts';
import { createProgram, evaluate, input, numeric } from '../tensor/index.ts';
import { logicNames, logics } from './logic.ts';

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
