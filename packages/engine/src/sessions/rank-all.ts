import type { BundleSource, GraphEntry, Profile } from '@fuzzqe/bundle';
import { decodeOnnx, encodeOnnx, type OnnxModel, type OnnxNode, type OnnxTensor } from '@fuzzqe/onnx';

/** A graph that is none of the bundle's files, but made of one. */
export interface DerivedGraph extends GraphEntry {
  /** The graph itself; its weights are in the files of the graph at `path`. */
  readonly bytes: Uint8Array;
  /** What it was made of, whose inputs and outputs may say what its own do not: how many entities there are. */
  readonly original: GraphEntry;
}

/**
 * The ranking graph of a profile without `allowed`, for runs that leave no entity out: the mask takes a quarter of their time.
 *
 * Returns undefined where the graph is a case of another, or masks in a way that is not the exporter's.
 *
 * @throws FuzzError `bundle`: the graph is missing, damaged or none of this bundle.
 */
export async function rankAllOf(
  source: BundleSource,
  { rank }: Pick<Profile, 'rank'>,
): Promise<DerivedGraph | undefined> {
  if (rank.case !== undefined) return undefined;
  const model = withoutMask(decodeOnnx(await source.read(rank.path)));
  if (model === undefined) return undefined;
  const inputs = rank.inputs.filter(({ name }) => name !== mask);
  return { ...rank, inputs, bytes: encodeOnnx(model), original: rank };
}

const mask = 'allowed';

/**
 * A ranking graph in which every entity is allowed.
 *
 * What is picked from the mask is 1 too, that being at least a half is true, and a choice by what is true is its first operand.
 */
function withoutMask(model: OnnxModel): OnnxModel | undefined {
  const { graph } = model;
  if (graph === undefined || !graph.input.some(({ name }) => name === mask)) return undefined;
  const constants = new Map(graph.initializer.map((each) => [each.name, each]));
  const ones = new Set([mask]);
  const truths = new Set<string>();
  const chosen = new Map<string, string>();
  const kept: OnnxNode[] = [];
  for (const node of graph.node) {
    const input = node.input.map((name) => chosen.get(name) ?? name);
    const [first = '', second = ''] = input;
    const output = node.output[0] ?? '';
    if (node.opType === 'GatherElements' && ones.has(first)) ones.add(output);
    else if (node.opType === 'GreaterOrEqual' && ones.has(first) && isHalf(constants.get(second)))
      truths.add(output);
    else if (node.opType === 'Where' && truths.has(first)) chosen.set(output, second);
    else if (input.some((name) => ones.has(name) || truths.has(name))) return undefined;
    else kept.push({ ...node, input });
  }
  // A result of the whole graph keeps its name only where a node gives it.
  if (graph.output.some(({ name = '' }) => chosen.has(name) || ones.has(name) || truths.has(name)))
    return undefined;
  const used = new Set(kept.flatMap(({ input }) => input));
  const gone = (name = ''): boolean => chosen.has(name) || ones.has(name) || truths.has(name);
  return {
    ...model,
    graph: {
      ...graph,
      node: kept,
      input: graph.input.filter(({ name }) => name !== mask),
      initializer: graph.initializer.filter(({ name = '' }) => used.has(name)),
      valueInfo: graph.valueInfo.filter(({ name }) => !gone(name)),
    },
  };
}

/** What the exporter compares a mask with. */
function isHalf(tensor: OnnxTensor | undefined): boolean {
  const bytes = tensor?.rawData;
  if (bytes === undefined || bytes.byteLength !== 4 || tensor?.dataType !== float32) return false;
  return new DataView(bytes.buffer, bytes.byteOffset, 4).getFloat32(0, true) === 0.5;
}

/** ONNX's number of the type. */
const float32 = 1;
