import {
  createDimensions,
  formatShape,
  operations,
  type Program,
  sizeOf,
  type Tensor,
} from '@fuzzqe/core/tensor';
import type { StepProgram } from '../step/step-program.ts';
import type { Feeds } from './training-runtime.ts';

/** What one run of a step costs. */
export interface ProgramCost {
  /** Floating-point operations of its products of matrices. */
  readonly matmulFlop: number;
  /** Bytes of the state, once. */
  readonly stateBytes: number;
  /** How many of them are of tensors that are updated by rows, of which a device makes no copies. Default 0. */
  readonly inPlaceBytes?: number;
  /** Bytes of what is computed and still needed, at the moment when that is most; the state not counted. */
  readonly peakBytes: number;
  /** The largest tensor of all. */
  readonly largest: { readonly what: string; readonly bytes: number };
}

/** Whether a result is the memory of its input, or is never written where runtimes broadcast by themselves. */
const isView = ({ op }: Tensor): boolean => ['same', 'view'].includes(operations[op].traits.result);

/** The bytes of a tensor: 1 a bool, 4 any other. */
export function tensorBytes(shape: readonly number[], dtype: Tensor['dtype']): number {
  return sizeOf(shape) * (dtype === 'bool' ? 1 : 4);
}

/**
 * Counts what a step costs with feeds of these shapes.
 *
 * Tensors are taken to be freed after their last use, as every runtime does; what a runtime keeps in reserve comes on
 * top.
 */
export function programCost(program: Program, feeds: Feeds): ProgramCost {
  const dimensions = createDimensions();
  for (const { attributes, shape } of program.inputs)
    dimensions.bind(attributes.name, shape, feeds[attributes.name]!.shape);
  const shapeOf = (tensor: Tensor): number[] => dimensions.resolve(tensor.shape);
  for (const node of program.nodes)
    if (node.op === 'concat') {
      // A concatenation of dimensions that only have names has a dimension with a name of its own.
      const { axis } = node.attributes;
      const parts = node.inputs.map(shapeOf);
      const length = parts.reduce((total, part) => total + part[axis]!, 0);
      dimensions.bind('concat', node.shape, parts[0]!.with(axis, length));
    }
  const bytesOf = (tensor: Tensor): number => tensorBytes(shapeOf(tensor), tensor.dtype);
  const roots = new Map<Tensor, Tensor>();
  for (const node of program.nodes) roots.set(node, isView(node) ? roots.get(node.inputs[0]!)! : node);

  const lastUse = new Map<Tensor, number>();
  program.nodes.forEach((node, at) => {
    for (const source of node.inputs) lastUse.set(roots.get(source)!, at);
  });
  for (const { tensor } of program.outputs) lastUse.set(roots.get(tensor)!, program.nodes.length);

  const freedAfter = new Map<number, Tensor[]>();
  for (const [tensor, at] of lastUse) freedAfter.set(at, [...(freedAfter.get(at) ?? []), tensor]);
  let [alive, peakBytes, matmulFlop, stateBytes] = [0, 0, 0, 0];
  let largest = { what: '', bytes: 0 };
  program.nodes.forEach((node, at) => {
    if (node.op === 'parameter') stateBytes += bytesOf(node);
    if (!isView(node)) {
      const bytes = bytesOf(node);
      if (node.op !== 'parameter') alive += bytes;
      if (bytes > largest.bytes) largest = { what: describe(node, shapeOf(node)), bytes };
    }
    if (node.op === 'matmul')
      matmulFlop += 2 * sizeOf(shapeOf(node)) * dimensions.resolve([node.inputs[0]!.shape.at(-1)!])[0]!;
    peakBytes = Math.max(peakBytes, alive);
    for (const freed of freedAfter.get(at) ?? []) if (freed.op !== 'parameter') alive -= bytesOf(freed);
  });
  return { matmulFlop, stateBytes, peakBytes, largest };
}

/**
 * Counts what a step costs on a device: on `cpu` its gradients alone, since AdamW's kernel keeps nothing of its own.
 */
export function stepCost(
  step: Pick<StepProgram, 'program' | 'gradientStep'>,
  device: string,
  feeds: Feeds,
): ProgramCost {
  const whole = programCost(step.program, feeds);
  if (device !== 'cpu') return whole;
  const { gradients, byRow } = step.gradientStep;
  let inPlaceBytes = 0;
  for (const { attributes, shape } of step.program.parameters)
    if (byRow.has(attributes.name.split('.')[0]!)) inPlaceBytes += 4 * sizeOf(shape as readonly number[]);
  return { ...programCost(gradients, feeds), stateBytes: whole.stateBytes, inPlaceBytes };
}

function describe(node: Tensor, shape: readonly number[]): string {
  const name =
    node.op === 'parameter' || node.op === 'input' ? node.attributes.name : (node.label ?? node.op);
  return `${name} ${formatShape(shape)}`;
}
