import { constant, input, parameter, reshape, type Tensor } from '../../tensor/index.ts';

/** Operands of programs that runtimes run; `n` is a dimension that is known only when a program runs. */
export const x: Tensor = input('x', 'float', ['n', 3]);
export const y: Tensor = input('y', 'float', [3]);
export const z: Tensor = input('z', 'float', ['n', 1]);
export const ids: Tensor = input('ids', 'int', ['n']);
export const yes: Tensor = input('yes', 'bool', ['n', 1]);
export const k: Tensor = input('k', 'int', [1]);
export const cube: Tensor = input('cube', 'float', ['n', 2, 3]);
export const cubeRows: Tensor = reshape(cube, ['rows', 3]);

/** Parameters by which gradients are taken. */
export const p: Tensor = parameter('p', [3, 4]);
export const q: Tensor = parameter('q', [3, 4]);
export const row: Tensor = parameter('row', [4]);
export const batch: Tensor = parameter('batch', [2, 3, 4]);
export const square4: Tensor = parameter('square4', [4, 4]);

/** Operands of what is worked out by hand. */
export const column: Tensor = constant([3, 5], [2, 1]);
export const pair: Tensor = constant([10, 12]);
export const six: Tensor = constant([1, 2, 3, 4, 5, 6], [2, 3]);
export const eight: Tensor = constant([1, 2, 3, 4, 5, 6, 7, 8], [2, 2, 2]);
export const tied: Tensor = constant([3, 1, 3, 2], [1, 4]);
export const three: Tensor = constant([3], [1], 'int');
export const rows = (...at: readonly number[]): Tensor => constant(at, [at.length], 'int');
