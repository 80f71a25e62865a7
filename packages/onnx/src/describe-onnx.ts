import { elementBytes, elementTypeNamed, externalLocation } from './proto/element-type.ts';
import type { OnnxGraph, OnnxModel, OnnxNode, OnnxTensor, OnnxValueInfo } from './proto/model.ts';

/**
 * A model in a few lines for people: what it takes, what it gives, and what it is made of.
 *
 * @example
 * console.log(describeOnnx(decodeOnnx(bytes)));
 */
export function describeOnnx(model: OnnxModel): string {
  const { graph } = model;
  if (graph === undefined) return 'no graph';
  const counts = new Map<string, number>();
  const nodes = nodesOf(graph);
  for (const { opType = '' } of nodes) counts.set(opType, (counts.get(opType) ?? 0) + 1);
  const operators = [...counts]
    .sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1))
    .map(([opType, count]) => `${count} ${opType}`);
  const opset = model.opsetImport.map(({ version }) => version).join(', ');
  const external = graph.initializer.filter(isExternal);
  const producer = [model.producerName, model.producerVersion].filter(Boolean).join(' ');
  return [
    `${graph.name}: ${graph.docString || 'no description'}`,
    `  written by ${producer || 'nobody known'}, IR version ${model.irVersion}, opset ${opset}`,
    ...graph.input.map((info) => `  in   ${signature(info)}`),
    ...graph.output.map((info) => `  out  ${signature(info)}`),
    `  ${nodes.length} nodes: ${operators.join(', ') || 'none'}`,
    `  ${graph.initializer.length} constants and weights, ${totalBytes(graph.initializer)} bytes` +
      (external.length === 0
        ? ''
        : `, of which ${totalBytes(external)} in ${locations(external).join(', ')}`),
    ...model.metadataProps.map(({ key, value }) => `  ${key} = ${value}`),
  ].join('\n');
}

/** The nodes of a graph and of the graphs inside them. */
function nodesOf(graph: OnnxGraph): readonly OnnxNode[] {
  return graph.node.flatMap((node) => [
    node,
    ...node.attribute.flatMap(({ g }) => (g === undefined ? [] : nodesOf(g))),
  ]);
}

const isExternal = (tensor: OnnxTensor): boolean => tensor.dataLocation === externalLocation;

function signature({ name, type }: OnnxValueInfo): string {
  const dims = (type?.tensorType?.shape?.dim ?? []).map(({ dimValue, dimParam }) => dimParam ?? dimValue);
  return `${name}: ${elementTypeNamed(type?.tensorType?.elemType) ?? 'unknown'}[${dims.join(', ')}]`;
}

function totalBytes(tensors: readonly OnnxTensor[]): number {
  return tensors.reduce((total, { dims, dataType }) => {
    const type = elementTypeNamed(dataType);
    const width = type === undefined ? 0 : elementBytes[type];
    return total + dims.reduce((product, dim) => product * dim, width);
  }, 0);
}

function locations(tensors: readonly OnnxTensor[]): string[] {
  const found = tensors.map(
    ({ externalData }) => externalData.find(({ key }) => key === 'location')?.value ?? 'nowhere',
  );
  return [...new Set(found)].sort();
}
