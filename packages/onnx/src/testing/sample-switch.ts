import {
  add,
  createProgram,
  exp,
  gather,
  input,
  mul,
  neg,
  parameter,
  scalar,
  type Tensor,
} from '@fuzzqe/core/tensor';
import type { Switch } from '../index.ts';

const x = input('x', 'float', ['n', 3]);
const ids = input('ids', 'int', ['n']);
const table = parameter('table', [4, 3]);
const shift = input('shift', 'float', [1]);

const oneCase = (name: string, inputs: readonly Tensor[], result: Tensor) =>
  createProgram({ name, description: `Case ${name}.`, inputs, outputs: { y: result } });

/** Five cases that share a table, one of which only hands on what it is given. */
export const sampleSwitch: Switch = {
  name: 'sample',
  description: 'A choice of five.',
  selector: input('which', 'int', [1]),
  cases: [
    oneCase('rows', [ids], gather(table, ids)),
    oneCase('given', [x], x),
    oneCase('both', [x, ids, shift], add(add(x, shift), add(gather(table, ids), parameter('bias', [3])))),
    oneCase('exp', [x], exp(x)),
    oneCase('thrice', [x], mul(neg(x), scalar(-3))),
  ],
};
