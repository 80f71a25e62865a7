import type { OnnxGraph, OnnxModel, OnnxNode } from '@fuzzqe/onnx';
import fc, { type Arbitrary } from 'fast-check';
import { type Mutation, mutations, share } from '../mutations.ts';

/** A graph of a profile by its place among them, and what is done to it. */
export interface GraphInput {
  readonly graph: number;
  readonly changes: readonly Mutation[];
  readonly edits: readonly {
    readonly at: number;
    readonly edit: (typeof edits)[number];
    readonly word: string;
  }[];
}

const edits = [
  'operator',
  'domain',
  'input',
  'output',
  'attribute',
  'constant',
  'dimension',
  'external',
  'swap',
  'repeat',
  'opset',
  'branch',
] as const;
const graphWords = [
  'Loop',
  'Scan',
  'If',
  'Concat',
  'Expand',
  'MatMul',
  'Reshape',
  'Gather',
  'TopK',
  'com.microsoft',
  '',
  'x',
  '../../etc/passwd',
  '/dev/zero',
  '-1',
  '9223372036854775807',
  '4611686018427387904',
  '0',
  '1',
  '64',
];
/** Graphs and what is done to them. */
export const graphInput: Arbitrary<GraphInput> = fc.record({
  graph: share,
  changes: fc.oneof(
    { weight: 2, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: mutations([Uint8Array.of(0x3a, 0), Uint8Array.of(0xca, 1, 0), 'Loop', 'Scan']) },
  ),
  edits: fc.array(
    fc.record({ at: share, edit: fc.constantFrom(...edits), word: fc.constantFrom(...graphWords) }),
    { maxLength: 3 },
  ),
});

/** A graph with one thing changed, as far as there is such a thing. */
export function edited(model: OnnxModel, { at, edit, word }: GraphInput['edits'][number]): OnnxModel {
  const graph = model.graph!;
  const within = (change: Partial<OnnxGraph>): OnnxModel => ({ ...model, graph: { ...graph, ...change } });
  const place = Math.floor(at * graph.node.length);
  const node = graph.node[place];
  const withNode = (change: Partial<OnnxNode>): OnnxModel =>
    node === undefined ? model : within({ node: graph.node.with(place, { ...node, ...change }) });
  const initializer = graph.initializer[Math.floor(at * graph.initializer.length)];
  const withInitializer = (change: Partial<OnnxGraph['initializer'][number]>): OnnxModel =>
    initializer === undefined
      ? model
      : within({
          initializer: graph.initializer.map((each) =>
            each === initializer ? { ...each, ...change } : each,
          ),
        });
  const values = [...graph.input, ...graph.initializer]
    .map(({ name = '' }) => name)
    .concat(graph.node.flatMap(({ output }) => output));
  const value = values[Math.floor(((at * 7919) % 1) * values.length)] ?? '';
  const number = Number(word) || 0;
  switch (edit) {
    case 'operator':
      return withNode({ opType: word });
    case 'domain':
      return withNode({ domain: word });
    case 'input':
      return withNode({ input: node?.input.with(Math.floor(at * node.input.length), value) ?? [] });
    case 'output':
      return within({ output: graph.output.map((each) => ({ ...each, name: value })) });
    case 'attribute':
      return withNode({
        attribute:
          node?.attribute.map((each) => ({
            ...each,
            ...(each.i === undefined ? {} : { i: Math.min(number, 2 ** 53 - 1) }),
          })) ?? [],
      });
    case 'constant':
      return withInitializer({
        rawData: Uint8Array.from(initializer?.rawData ?? [], (byte, i) =>
          i % 8 === 0 ? number & 255 : byte,
        ),
      });
    case 'dimension':
      return withInitializer({ dims: [Math.min(Math.abs(number), 2 ** 53 - 1)] });
    case 'external':
      return withInitializer({
        externalData:
          initializer?.externalData.map((each, i) =>
            i === Math.floor(at * 3) ? { ...each, value: word } : each,
          ) ?? [],
      });
    case 'swap':
      return within({ node: graph.node.toReversed() });
    case 'repeat':
      // Twice as much, again and again, where the node is a Concat.
      return node === undefined
        ? model
        : within({
            node: [
              ...graph.node,
              { ...node, name: `${node.name}'`, output: node.output.map((name) => `${name}'`) },
            ],
          });
    case 'opset':
      return { ...model, opsetImport: [{ domain: word, version: number }] };
    case 'branch':
      return withNode({
        opType: 'If',
        attribute: [{ name: 'then_branch', type: 5, floats: [], ints: [], g: graph }],
      });
  }
}
