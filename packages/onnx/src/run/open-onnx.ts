import { FuzzError, messageOf } from '@fuzzqe/core';
import type { OnnxGraph, OnnxModel, OnnxNode } from '../proto/model.ts';
import { elementwiseKernels } from './elementwise.ts';
import type { Attributes, Kernel } from './kernel.ts';
import { movementKernels } from './movement.ts';
import { productKernels } from './products.ts';
import { reductionKernels } from './reductions.ts';
import { storedValue, type Value } from './value.ts';

/** Tensors by the names of a graph's inputs or outputs. */
export type Values = ReadonlyMap<string, Value>;

/** A file that is ready to run: its inputs by name, its outputs by name. */
export type OnnxRun = (inputs: Values) => Values;

const kernels: ReadonlyMap<string, Kernel> = new Map(
  [elementwiseKernels, movementKernels, productKernels, reductionKernels].flatMap((each) =>
    Object.entries(each),
  ),
);

/**
 * Makes a file ready to be run in plain JavaScript: with every operator that FuzzQE writes, without a runtime.
 *
 * Numbers are stored as the file says, sums are taken in float64. It opens in a millisecond where a runtime takes a hundred, and
 * runs two to ten times slower than one. The file is to be one that `checkOnnx` accepts. `external` returns the bytes of a file of
 * weights by its location; they are used where they lie.
 *
 * @throws FuzzError `bundle`: no graph, an operator that FuzzQE does not write, weights of another size; from a run `runtime`:
 * an input that is missing, dimensions that do not fit, an index outside its table.
 * @example
 * const run = openOnnx(decodeOnnx(bytes), () => new Uint8Array(0));
 */
export function openOnnx(model: OnnxModel, external: (location: string) => Uint8Array): OnnxRun {
  if (model.graph === undefined) throw new FuzzError('bundle', 'expected a graph, there is none');
  const run = prepare(model.graph, external);
  return (inputs) => run((name) => inputs.get(name));
}

/** Finds a value around a graph: an input, or what a graph that it stands in has computed. */
type Outside = (name: string) => Value | undefined;

function prepare(
  graph: OnnxGraph,
  external: (location: string) => Uint8Array,
): (outside: Outside) => Map<string, Value> {
  const stored = new Map(
    graph.initializer.map((tensor) => [tensor.name ?? '', storedValue(tensor, external)] as const),
  );
  const steps = graph.node.map((node) => stepOf(node, external));
  return (outside) => {
    const values = new Map(stored);
    const find: Outside = (name) => values.get(name) ?? outside(name);
    for (const step of steps) step(find, values);
    return new Map(graph.output.map(({ name = '' }) => [name, find(name) ?? missing(name)] as const));
  };
}

type Step = (find: Outside, values: Map<string, Value>) => void;

function stepOf(node: OnnxNode, external: (location: string) => Uint8Array): Step {
  const { opType = '', input, output } = node;
  const keep = (results: readonly Value[], values: Map<string, Value>): void =>
    output.forEach((name, i) => void values.set(name, results[i]!));
  const attributes: Attributes = new Map(node.attribute.map((each) => [each.name ?? '', each]));
  if (opType === 'If') {
    const [yes, no] = ['then_branch', 'else_branch'].map((name) =>
      prepare(attributes.get(name)!.g!, external),
    );
    return (find, values) => {
      const condition = find(input[0]!) ?? missing(input[0]!);
      const branch = condition.data[0] === 0 ? no! : yes!;
      keep([...branch(find).values()], values);
    };
  }
  const kernel = kernels.get(opType);
  if (kernel === undefined)
    throw new FuzzError('bundle', `expected an operator that FuzzQE writes, got ${JSON.stringify(opType)}`);
  return (find, values) => {
    const inputs = input.map((name) => (name === '' ? undefined : (find(name) ?? missing(name))));
    try {
      keep(kernel(inputs, attributes), values);
    } catch (cause) {
      throw new FuzzError('runtime', `${opType} "${node.name ?? output[0]}": ${messageOf(cause)}`, { cause });
    }
  };
}

function missing(name: string): never {
  throw new FuzzError('runtime', `no value for "${name}"`);
}
