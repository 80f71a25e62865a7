import {
  add,
  createProgram,
  evaluate,
  input,
  mul,
  numeric,
  parameter,
  reshape,
  scatterAdd,
  sum,
  topKValues,
} from '@fuzzqe/core/tensor';
import { expect, it } from 'vitest';
import { unrollProgram } from './unroll-program.ts';

/** A step with a name for a dimension in every attribute that has one. */
const step = (() => {
  const [x, rows, k] = [input('x', 'float', ['n', 'm']), input('rows', 'int', ['n']), input('k', 'int', [1])];
  const total = parameter('total', [1]);
  const sums = scatterAdd(rows, reshape(sum(x, [1]), ['n']), 'n');
  const best = sum(topKValues(reshape(x, [1, 'all']), k), [1]);
  const next = add(total, reshape(mul(best, sum(sums, [0])), [1]));
  return createProgram({ name: 'step', inputs: [x, rows, k], outputs: { loss: next, 'next.total': next } });
})();

it('a program of several steps gives each its own dimensions, wherever an operation names one', () => {
  const { nodes, inputs } = unrollProgram(step, 2);
  expect(inputs.map(({ attributes: { name }, shape }) => `${name} [${shape}]`)).toEqual([
    'x@0 [n@0,m@0]',
    'rows@0 [n@0]',
    'k@0 [1]',
    'x@1 [n@1,m@1]',
    'rows@1 [n@1]',
    'k@1 [1]',
  ]);
  const names = nodes.flatMap(({ op, attributes, shape }) => {
    const own = { ...attributes, ...(op === 'input' || op === 'parameter' ? { name: '' } : {}) };
    return [...shape, ...Object.values<unknown>(own).flat()].filter(
      (each) => typeof each === 'string' && each !== '',
    );
  });
  expect(names.length).toBeGreaterThan(10);
  for (const name of names) expect(name).toMatch(/@[01]$/);
});

it('a program of several steps gives what the steps give one after the other', () => {
  const feeds = [
    { x: numeric([2, 3], [1, 2, 3, 4, 5, 6]), rows: numeric([2], [1, 1]), k: numeric([1], [2]) },
    { x: numeric([3, 1], [7, 8, 9]), rows: numeric([3], [0, 2, 0]), k: numeric([1], [3]) },
  ];
  let total = numeric([1], [0.5]);
  const losses = feeds.map((each) => {
    total = evaluate(step, { ...each, total })['next.total']!;
    return total.data[0];
  });
  const together = Object.fromEntries(
    feeds.flatMap((each, at) => Object.entries(each).map(([name, value]) => [`${name}@${at}`, value])),
  );
  const results = evaluate(unrollProgram(step, 2), { ...together, total: numeric([1], [0.5]) });
  expect([results['loss@0']!.data[0], results['loss@1']!.data[0]]).toEqual(losses);
  expect(results['next.total']!.data[0]).toBe(losses[1]);
});
