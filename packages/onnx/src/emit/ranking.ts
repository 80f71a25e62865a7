import type { OpName, Tensor, TensorOf } from '@fuzzqe/core/tensor';
import { elementTypes } from '../proto/element-type.ts';
import { type LoweringContext, withoutStopGradient } from './lowering.ts';

/** The operations that find the k largest numbers of each row. */
export type Ranking = Extract<OpName, 'topKValues' | 'topKIndices'>;

const rankingInputs = (node: TensorOf<Ranking>): readonly [Tensor, Tensor] => [
  withoutStopGradient(node.inputs[0]!),
  withoutStopGradient(node.inputs[1]!),
];

/** The tensors whose values a ranking reads: k is in the graph where it is constant. */
export function rankingReads(node: TensorOf<Ranking>): readonly Tensor[] {
  const [x, k] = rankingInputs(node);
  return k.op === 'constant' ? [x] : [x, k];
}

/** The k largest and where they stand, once for each pair of scores and k, whichever of the two operations comes first. */
export function rank(
  node: TensorOf<Ranking>,
  context: LoweringContext,
): readonly [values: string, indices: string] {
  const { graph, program, value, nameOf } = context;
  const [x, k] = rankingInputs(node);
  const key = `TopK ${value(x)} ${k.op === 'constant' ? k.attributes.values : value(k)}`;
  const [values, indices] = graph.once(key, () => {
    const count =
      k.op === 'constant'
        ? graph.integers(k.attributes.values)
        : graph.once(`int64 ${value(k)}`, () => [
            graph.node('Cast', [value(k)], { to: elementTypes.int64 }),
          ])[0]!;
    const twin = program.nodes.find(
      (other) => other.op === 'topKValues' && rankingInputs(other).every((input, i) => input === [x, k][i]),
    );
    const best = twin === undefined ? graph.fresh('TopK/values') : nameOf(twin);
    const places = graph.fresh('TopK/indices');
    const width = x.shape.at(-1);
    if (x.shape.length === 2 && typeof width === 'number' && width >= leastGrouped)
      rankByGroups(context, { x, width, count }, [best, places]);
    else graph.nodeWith('TopK', [value(x), count], largestFirst, [best, places]);
    if (twin !== undefined) graph.describe(best, twin);
    return [best, places];
  });
  return [values!, indices!];
}

const largestFirst = { axis: -1, largest: 1, sorted: 1 };

/** From so many numbers in a row on groups take less time than TopK on all of them. */
const leastGrouped = 4096;

/**
 * TopK of long rows by way of the groups whose largest numbers are the k largest: all k largest are in these.
 *
 * TopK is scalar and looks at each number, where a maximum takes many at once: of 14 505 numbers and k = 10 it takes 11 µs, by groups 5.
 * A number outside of the groups has k numbers before it, one of each: larger ones, or equal ones of lower indices, since of groups with equal
 * maxima the first are taken. Groups are put in order before the last TopK, so that of equal numbers the lower index is first there, too. What is
 * left behind the last group is looked at as it is.
 */
function rankByGroups(
  { graph, value }: LoweringContext,
  { x, width, count }: { readonly x: Tensor; readonly width: number; readonly count: string },
  [best, places]: readonly [values: string, indices: string],
): void {
  const scores = value(x);
  const size = 2 ** Math.round(Math.log2(Math.sqrt(width / 8)));
  const groups = Math.floor(width / size);
  const left = numbersFrom(groups * size, width);
  const whole =
    left.length === 0
      ? scores
      : graph.node('Slice', [scores, ...[0, groups * size, 1].map((at) => graph.integers([at]))]);
  const grouped = graph.node('Reshape', [whole, graph.integers([-1, groups, size])]);
  const largest = graph.node('ReduceMax', [grouped, graph.integers([2])], { keepdims: 0 });
  const taken = graph.node('Min', [count, graph.integers([groups])]);
  const topK = (of: string, order: { readonly largest: number }, name: string): readonly string[] => {
    const found = [graph.fresh(`TopK/${name}`), graph.fresh(`TopK/${name}/indices`)];
    graph.nodeWith('TopK', [of, taken], { ...largestFirst, ...order }, found);
    return found;
  };
  const [, chosen] = topK(largest, { largest: 1 }, 'maxima');
  const [inOrder] = topK(chosen!, { largest: 0 }, 'groups');
  const starts = graph.node('Mul', [inOrder!, graph.integers([size])]);
  const each = graph.node('Unsqueeze', [starts, graph.integers([2])]);
  const members = graph.node('Add', [each, graph.integers(numbersFrom(0, size))]);
  const inGroups = graph.node('Reshape', [members, graph.integers([0, -1])]);
  const rows = (): string => graph.dimensions([x.shape[0]!, left.length], [{ name: scores, shape: x.shape }]);
  const candidates =
    left.length === 0
      ? inGroups
      : graph.node('Concat', [inGroups, graph.node('Expand', [graph.integers(left), rows()])], { axis: 1 });
  const among = graph.fresh('TopK/candidates');
  const numbers = graph.node('GatherElements', [scores, candidates], { axis: 1 });
  graph.nodeWith('TopK', [numbers, count], largestFirst, [best, among]);
  graph.nodeWith('GatherElements', [candidates, among], { axis: 1 }, [places]);
}

const numbersFrom = (first: number, end: number): number[] =>
  Array.from({ length: end - first }, (_, i) => first + i);
