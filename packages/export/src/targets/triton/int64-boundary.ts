import type { OnnxModel, OnnxValueInfo } from '@fuzzqe/onnx';

/** Numbers of ONNX for the kinds of elements. */
const [int32, int64] = [6, 7];

/**
 * A model whose inputs and outputs of int32 are int64, as clients send ids and as the protocol of `/v2` has them.
 *
 * Names stay; one Cast a tensor stands between them and the graph.
 */
export function withInt64Boundary(model: OnnxModel): OnnxModel {
  const graph = model.graph!;
  const inside = new Map<string, string>();
  const widened = (info: OnnxValueInfo): OnnxValueInfo => {
    const { elemType, ...type } = info.type!.tensorType!;
    if (elemType !== int32) return info;
    inside.set(info.name!, `${info.name}/int32`);
    return { ...info, type: { tensorType: { ...type, elemType: int64 } } };
  };
  const cast = (from: string, to: string, element: number): (typeof graph.node)[number] => ({
    opType: 'Cast',
    name: `${to}/Cast`,
    input: [from],
    output: [to],
    attribute: [{ name: 'to', i: element, type: 2, floats: [], ints: [] }],
  });
  const [input, output] = [graph.input.map(widened), graph.output.map(widened)];
  const renamed = (name: string): string => inside.get(name) ?? name;
  const node = graph.node.map((each) => ({
    ...each,
    input: each.input.map(renamed),
    output: each.output.map(renamed),
  }));
  const casts = (infos: readonly OnnxValueInfo[], inwards: boolean) =>
    infos.flatMap(({ name }) => {
      const own = inside.get(name!);
      if (own === undefined) return [];
      return [inwards ? cast(name!, own, int32) : cast(own, name!, int64)];
    });
  return {
    ...model,
    graph: {
      ...graph,
      input,
      output,
      node: [...casts(graph.input, true), ...node, ...casts(graph.output, false)],
    },
  };
}
