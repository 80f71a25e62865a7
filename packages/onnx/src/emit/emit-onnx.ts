import { FuzzError } from '@fuzzqe/core';
import { type OpName, operations, type Program, type Tensor, type TensorOf } from '@fuzzqe/core/tensor';
import { encodeOnnx } from '../proto/codec.ts';
import { elementTypeOf } from '../proto/element-type.ts';
import {
  irVersion,
  type OnnxGraph,
  type OnnxModel,
  type OnnxValueInfo,
  opsetVersion,
  producerName,
} from '../proto/model.ts';
import { dataMovement } from './data-movement.ts';
import { elementwise, sources } from './elementwise.ts';
import { GraphBuilder, valueInfo } from './graph-builder.ts';
import { type Lowering, type LoweringContext, withoutStopGradient } from './lowering.ts';
import { matmulLowering } from './matmul.ts';
import { createNames } from './names.ts';
import { type ParameterPlacement, placedParameter } from './placement.ts';
import { quantisation } from './quantisation.ts';
import { reductions } from './reduction.ts';

/** How every operation becomes ONNX: an operation that is missing here does not compile. */
const lowerings: { readonly [K in OpName]: Lowering<K> } = {
  ...sources,
  ...elementwise,
  ...dataMovement,
  ...reductions,
  ...quantisation,
  matmul: matmulLowering,
};

/** What the emitter is told in addition to the program. */
export interface EmitOptions {
  /** Where each parameter's numbers are; without it every parameter is given at every run. */
  readonly parameters?: (name: string) => ParameterPlacement;
  /** Written into the file, sorted by key. */
  readonly metadata?: Readonly<Record<string, string>>;
  readonly producerVersion?: string;
  /** Whether a switch says what its cases are for and which shapes their values have; runtimes need neither. Default true. */
  readonly described?: boolean;
}

/**
 * A tensor program as an ONNX file (opset 21, IR version 10).
 *
 * Inputs of the graph are the program's inputs, then the parameters placed as 'input'; outputs keep their names.
 * Numbers are stored as float32, int32 and bool; dimensions that are only names become `dim_param`. The same program
 * and options give the same bytes.
 *
 * @throws FuzzError `shape`: names clash, a parameter does not fit its placement, or an dimension cannot be known when
 *   the graph runs.
 * @example
 * const x = input('x', 'float', ['batch', 2]);
 * const program = createProgram({ name: 'copy', inputs: [x], outputs: { y: transpose(x, [1, 0]) } });
 * const file = emitOnnx(program);
 */
export function emitOnnx(program: Program, options: EmitOptions = {}): Uint8Array {
  return encodeOnnx(emitModel(program, options));
}

/**
 * The same as `emitOnnx`, before it becomes bytes.
 *
 * @throws FuzzError: as `emitOnnx`.
 * @example
 * const { graph } = emitModel(program);
 */
export function emitModel(program: Program, options: EmitOptions = {}): OnnxModel {
  if (program.name === '') throw new FuzzError('shape', 'an ONNX graph needs a name: the program has none');
  const place = options.parameters ?? ((): ParameterPlacement => ({ kind: 'input' }));
  const names = createNames();
  const given: readonly TensorOf<'input' | 'parameter'>[] = [...program.inputs, ...program.parameters];
  for (const name of [...given.map((node) => node.attributes.name), ...program.outputs.map((o) => o.name)])
    if (name === '' || !names.reserve(name))
      throw new FuzzError('shape', `program "${program.name}" uses the name "${name}" twice`, {
        hint: 'inputs, parameters and outputs of a graph share one set of names, and none is empty',
      });

  const graph = new GraphBuilder(names);
  const placements = program.parameters.map((node) => ({ node, placement: place(node.attributes.name) }));
  const inputs: TensorOf<'input' | 'parameter'>[] = [...program.inputs];
  for (const { node, placement } of placements)
    if (placement.kind === 'input') inputs.push(node);
    else graph.initializers.push(placedParameter(node, placement));
  for (const node of inputs) graph.know(node.attributes.name, node.shape, 'given');

  lowerInto(graph, program, { fresh: names.fresh, output: (name) => name });

  return modelOf(
    {
      node: graph.nodes,
      name: program.name,
      initializer: graph.initializers,
      docString: program.description,
      input: inputs.map(infoOf),
      output: program.outputs.map(({ name, tensor }) =>
        valueInfo(name, elementTypeOf[tensor.dtype], tensor.shape),
      ),
      valueInfo: graph.valueInfos,
    },
    options,
  );
}

/** A graph as a file of this producer. */
export function modelOf(graph: OnnxGraph, { producerVersion, metadata = {} }: EmitOptions): OnnxModel {
  return {
    irVersion,
    producerName,
    ...(producerVersion === undefined ? {} : { producerVersion }),
    ...(graph.docString === undefined ? {} : { docString: graph.docString }),
    graph,
    opsetImport: [{ domain: '', version: opsetVersion }],
    metadataProps: Object.entries(metadata)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, value]) => ({ key, value })),
  };
}

/** The announcement of an input. */
export const infoOf = ({ attributes, dtype, shape }: TensorOf<'input' | 'parameter'>): OnnxValueInfo =>
  valueInfo(attributes.name, elementTypeOf[dtype], shape);

/** Whether a node is a name for what is there already. */
const givesNoNode = ({ op }: Tensor): boolean => ['given', 'same'].includes(operations[op].traits.result);

/** How the values of a program are called in the graph that it becomes, or becomes a part of. */
export interface ValueNames {
  /** A free name that begins with `base`. */
  fresh(base: string): string;
  /** The name of an output. */
  output(name: string): string;
  /** The name of what is there for an input. Default: its own. */
  input?(name: string): string;
}

/**
 * Lowers every tensor that an output needs, in the program's order, and gives the outputs their names.
 *
 * Parameters, and inputs without another name, are taken to be values of the same names.
 */
export function lowerInto(
  graph: GraphBuilder,
  program: Program,
  { fresh, output, input = (name) => name }: ValueNames,
): void {
  const outputNames = new Map<Tensor, string>();
  for (const { name, tensor } of program.outputs) {
    const source = withoutStopGradient(tensor);
    if (!outputNames.has(source)) outputNames.set(source, output(name));
  }
  const values = new Map<Tensor, string>();
  const scopes = new Map<Tensor, string>();
  const scopeOf = (tensor: Tensor): string => {
    const scope =
      scopes.get(tensor) ??
      (tensor.label === undefined ? outputNames.get(tensor) : undefined) ??
      fresh(tensor.label ?? tensor.op);
    scopes.set(tensor, scope);
    return scope;
  };
  const nameOf = (tensor: Tensor): string => outputNames.get(tensor) ?? scopeOf(tensor);
  const context: LoweringContext = {
    graph,
    program,
    value: (tensor) => values.get(tensor)!,
    nameOf,
    result(tensor, opType, inputs, attributes = {}) {
      const name = nameOf(tensor);
      graph.nodeWith(opType, inputs, attributes, [name], scopeOf(tensor));
      if (!outputNames.has(tensor)) graph.describe(name, tensor);
      return name;
    },
  };

  const needed = neededBy(program);
  for (const node of program.nodes) {
    if (!needed.has(node)) continue;
    try {
      if (!givesNoNode(node)) graph.enter(scopeOf(node));
      const name = node.op === 'input' ? input(inputName(node)) : lower(node, context);
      values.set(node, name);
      graph.know(name, node.shape, 'computed');
    } catch (cause) {
      if (!(cause instanceof FuzzError)) throw cause;
      const { path = scopeOf(node), hint } = cause;
      throw new FuzzError(cause.code, `${node.op}: ${cause.message}`, {
        path,
        ...(hint === undefined ? {} : { hint }),
        cause,
      });
    }
  }
  for (const { name: plain, tensor } of program.outputs) {
    const [name, value] = [output(plain), values.get(tensor)!];
    if (value !== name) graph.nodeWith('Identity', [value], {}, [name], fresh(`${name}/Identity`));
  }
}

/** The name of a node that is an input. */
function inputName(node: Tensor): string {
  return (node as TensorOf<'input'>).attributes.name; // by its operation, which does not narrow the type
}

function lower<K extends OpName>(node: TensorOf<K>, context: LoweringContext): string {
  return lowerings[node.op].emit(node, context);
}

function readsOf<K extends OpName>(node: TensorOf<K>): readonly Tensor[] {
  return lowerings[node.op].reads?.(node) ?? node.inputs;
}

/** The tensors whose values are read: not, for example, a transposition that a Gemm does itself. */
function neededBy(program: Program): ReadonlySet<Tensor> {
  const needed = new Set<Tensor>(program.outputs.map(({ tensor }) => tensor));
  for (const node of program.nodes.toReversed())
    if (needed.has(node)) for (const read of readsOf(node)) needed.add(read);
  return needed;
}
