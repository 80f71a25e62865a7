import type { Tensor } from '@fuzzqe/core/tensor';
import { tensorBytes } from './program-cost.ts';

const [fewest, most] = [16, 96];

type Sized = Pick<Tensor, 'shape' | 'dtype'>;

/**
 * Returns how many steps go into one graph on a device that copies the state before and after every run.
 *
 * n = min(96, 16 + state / 2 MiB, 1 GiB / feeds), at least 1: n steps share the copies, opening their graph takes more than n
 * times as long (5 s for 64 steps of 390 nodes, 13 s for 128), and the feeds of all of them are in memory at once. Of feeds counts what has a
 * fixed size.
 */
export function stepsPerRun({
  parameters,
  inputs,
}: {
  readonly parameters: readonly Sized[];
  readonly inputs: readonly Sized[];
}): number {
  const forState = fewest + Math.floor(bytesOf(parameters) / 2 ** 21);
  const forFeeds = Math.floor(2 ** 30 / Math.max(1, bytesOf(inputs)));
  return Math.max(1, Math.min(most, forState, forFeeds));
}

function bytesOf(tensors: readonly Sized[]): number {
  return tensors.reduce((total, { shape, dtype }) => {
    const sizes = shape.map((size) => (typeof size === 'number' ? size : 1));
    return total + tensorBytes(sizes, dtype);
  }, 0);
}
