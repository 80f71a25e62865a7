import type { OpName, Tensor, TensorOf } from '@fuzzqe/core/tensor';
import { elementTypes } from '../proto/element-type.ts';
import { type Lowering, type LoweringContext, type Lowerings, withoutStopGradient } from './lowering.ts';

type Ranking = Extract<OpName, 'topKValues' | 'topKIndices'>;

const reduce = (opType: string): Lowering<'sum' | 'max'> => ({
  emit(node, { graph, value, result }) {
    const axes = [...new Set(node.attributes.axes)].sort((a, b) => a - b);
    const x = value(node.inputs[0]!);
    // ONNX reads "no axes" as "all axes"; here it means that nothing is reduced.
    return axes.length === 0 ? x : result(node, opType, [x, graph.integers(axes)], { keepdims: 1 });
  },
});

const rankingInputs = (node: TensorOf<Ranking>): readonly [Tensor, Tensor] => [
  withoutStopGradient(node.inputs[0]!),
  withoutStopGradient(node.inputs[1]!),
];

function rankingReads(node: TensorOf<Ranking>): readonly Tensor[] {
  const [x, k] = rankingInputs(node);
  return k.op === 'constant' ? [x] : [x, k];
}

/** One TopK node for each pair of scores and k, whichever of the two operations comes first. */
function rank(node: TensorOf<Ranking>, context: LoweringContext): readonly [values: string, indices: string] {
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
    const names = [
      twin === undefined ? graph.fresh('TopK/values') : nameOf(twin),
      graph.fresh('TopK/indices'),
    ];
    graph.nodeWith('TopK', [value(x), count], { axis: -1, largest: 1, sorted: 1 }, names);
    if (twin !== undefined) graph.describe(names[0]!, twin);
    return names;
  });
  return [values!, indices!];
}

/** Reductions along axes, and the k largest. */
export const reductions: Lowerings<'sum' | 'max' | Ranking> = {
  sum: reduce('ReduceSum'),
  max: reduce('ReduceMax'),
  topKValues: { reads: rankingReads, emit: (node, context) => rank(node, context)[0] },
  topKIndices: {
    reads: rankingReads,
    emit: (node, context) =>
      context.result(node, 'Cast', [rank(node, context)[1]], { to: elementTypes.int32 }),
  },
};
