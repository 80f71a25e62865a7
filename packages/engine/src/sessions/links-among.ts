import type { BundleSource, Profile } from '@fuzzqe/bundle';
import type { ModelConfig } from '@fuzzqe/model';
import { decodeOnnx, encodeOnnx, type OnnxGraph, type OnnxNode, type OnnxType } from '@fuzzqe/onnx';
import type { DerivedGraph } from './rank-all.ts';

/** How many entities a model has at least whose links are computed among some of them. */
const fewestEntities = 30_000;

/**
 * The graph `links` of a profile for the tails `ids` [n] alone: it reads their rows of the entity table, and gives scores [m, n].
 *
 * A profile of whole numbers has its tails from the float16 rows, so that their scores are exact. Returns undefined for a model of fewer than `fewest` entities, and
 * for a graph of another form.
 *
 * @throws FuzzError `bundle`: the graph is missing, damaged or none of this bundle.
 */
export async function linksAmongOf(
  source: BundleSource,
  { links }: Pick<Profile, 'links'>,
  model: Pick<ModelConfig, 'entities' | 'score'>,
  fewest: number = fewestEntities,
): Promise<DerivedGraph | undefined> {
  if (links.case !== undefined || model.entities < fewest) return undefined;
  const made = decodeOnnx(await source.read(links.path));
  const graph = made.graph && amongIds(made.graph, model);
  if (graph === undefined) return undefined;
  const inputs = [...links.inputs, { name: 'ids', dtype: 'int', shape: ['ids'] } as const];
  return { ...links, inputs, bytes: encodeOnnx({ ...made, graph }), original: links };
}

function amongIds(
  graph: OnnxGraph,
  { entities, score }: Pick<ModelConfig, 'entities' | 'score'>,
): OnnxGraph | undefined {
  const tables = new Map(graph.initializer.map((each) => [each.name, each]));
  const table = tables.get('entityRows') ?? tables.get('entityEmbeddings');
  const hasLengths = tables.has(lengths);
  const hasCodes = tables.has('entityCodes');
  // Codes of cosines stand for other numbers than the rows.
  if (table?.dims[0] !== entities || (hasCodes && score === 'cosine')) return undefined;
  const directions = directionsOf(graph.node, hasCodes ? 'entityMean' : table.name!);
  const [scores] = graph.output;
  if (directions === undefined || scores?.name === undefined) return undefined;
  const isHalf = table.dataType === float16;
  const [rows, products] = [isHalf ? 'rowsAmong' : 'tableAmong', hasLengths ? 'productsAmong' : scores.name];
  const node = [
    ...nodesBefore(graph.node, directions),
    onnxNode('Gather', [table.name!, 'ids'], 'tableAmong', { axis: 0 }),
    ...(isHalf ? [onnxNode('Cast', ['tableAmong'], rows, { to: float32 })] : []),
    onnxNode('Gemm', [directions, rows], products, { transB: 1 }),
    ...(hasLengths
      ? [
          onnxNode('Gather', [lengths, 'ids'], 'lengthsAmong', { axis: 0 }),
          onnxNode('Mul', [products, 'lengthsAmong'], scores.name),
        ]
      : []),
  ];
  const used = new Set(node.flatMap(({ input }) => input));
  const [heads] = graph.input;
  return {
    ...graph,
    node,
    initializer: graph.initializer.filter(({ name = '' }) => used.has(name)),
    input: [...graph.input, { name: 'ids', type: typeOf(heads?.type?.tensorType?.elemType, 'ids') }],
    output: [{ name: scores.name, type: typeOf(float32, 'batch', 'ids') }],
    valueInfo: [],
  };
}

/** ONNX's numbers of types. */
const [float32, float16, whole] = [1, 10, 2];
const lengths = 'entityInverseLengths';

/** What is multiplied with a table: the first operand of a product whose second one is the table, in whatever shape. */
function directionsOf(nodes: readonly OnnxNode[], table: string): string | undefined {
  const forms = new Set([table]);
  for (const { opType, input, output } of nodes) {
    const [first = '', second = ''] = input;
    if ((opType === 'Gemm' || opType === 'MatMul') && forms.has(second)) return first;
    if ((opType === 'Cast' || opType === 'Transpose' || opType === 'Reshape') && forms.has(first))
      forms.add(output[0]!);
  }
  return undefined;
}

/** The nodes that a result follows from. */
function nodesBefore(nodes: readonly OnnxNode[], result: string): OnnxNode[] {
  const needed = new Set([result]);
  const kept: OnnxNode[] = [];
  for (const node of [...nodes].reverse()) {
    if (!node.output.some((name) => needed.has(name))) continue;
    for (const name of node.input) needed.add(name);
    kept.push(node);
  }
  return kept.reverse();
}

function onnxNode(
  opType: string,
  input: readonly string[],
  output: string,
  attributes: Readonly<Record<string, number>> = {},
): OnnxNode {
  const attribute = Object.entries(attributes).map(([name, i]) => ({
    name,
    i,
    floats: [],
    ints: [],
    type: whole,
  }));
  return { opType, input, output: [output], name: `${output}Of`, attribute };
}

function typeOf(elemType: number | undefined, ...dims: readonly string[]): OnnxType {
  return {
    tensorType: {
      ...(elemType === undefined ? {} : { elemType }),
      shape: { dim: dims.map((dimParam) => ({ dimParam })) },
    },
  };
}
