import { elementTypes } from '../proto/element-type.ts';
import type { Lowering, Lowerings } from './lowering.ts';
import { type Ranking, rank, rankingReads } from './ranking.ts';

const reduce = (opType: string): Lowering<'sum' | 'max'> => ({
  emit(node, { graph, value, result }) {
    const axes = [...new Set(node.attributes.axes)].sort((a, b) => a - b);
    const x = value(node.inputs[0]!);
    // ONNX reads "no axes" as "all axes"; here it means that nothing is reduced.
    return axes.length === 0 ? x : result(node, opType, [x, graph.integers(axes)], { keepdims: 1 });
  },
});

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
