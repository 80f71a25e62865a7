import { FuzzError } from '@fuzzqe/core';
import { operations, type Program, type Tensor, type TensorOf } from '@fuzzqe/core/tensor';
import { getKernel } from '@tensorflow/tfjs-core';
import type { Backend } from '../backend/backend.ts';
import type { Lowering } from '../lowering/lowering.ts';
import { lowerings } from '../lowering/lowerings.ts';

/** One node to compute. */
export interface Step {
  readonly node: Tensor;
  readonly lowering: Lowering<Tensor['op']>;
  readonly reads: readonly Tensor[];
  /** Tensors that no later step reads: they are freed after this one. */
  readonly lastUses: readonly Tensor[];
}

/** A program as steps, each after what it reads, without what only host numbers or broadcasts needed. */
export interface ExecutionPlan {
  readonly steps: readonly Step[];
  readonly constants: readonly TensorOf<'constant'>[];
  /** What is computed without the device, because it decides about shapes; each after what it needs. */
  readonly host: readonly Tensor[];
  /** Nodes that one kernel computes together. */
  readonly twins: ReadonlyMap<Tensor, Tensor>;
}

/** The lowering of a node. */
function loweringOf(node: Tensor): Lowering<Tensor['op']> {
  return lowerings[node.op] as unknown as Lowering<Tensor['op']>; // its own operation, which the type forgets
}

const isRanking = (node: Tensor): node is TensorOf<'topKValues' | 'topKIndices'> =>
  node.op === 'topKValues' || node.op === 'topKIndices';

const isGiven = ({ op }: Tensor): boolean => operations[op].traits.result === 'given';

/**
 * Plans a program.
 *
 * @throws FuzzError `runtime`: an operation that the backend cannot run, by name.
 */
export function planExecution(program: Program, backend: Backend): ExecutionPlan {
  const { nodes, outputs } = program;
  const reads = new Map(nodes.map((node) => [node, (loweringOf(node).reads ?? inputsOf)(node)]));
  const wanted = reachable(
    outputs.map(({ tensor }) => tensor),
    (node) => reads.get(node)!,
  );
  const needed = nodes.filter((node) => wanted.has(node));
  checkLowerings(program, needed, backend);

  const lastReader = new Map<Tensor, Tensor>();
  for (const node of needed) for (const read of reads.get(node)!) lastReader.set(read, node);
  const kept = new Set(outputs.map(({ tensor }) => tensor));
  const sizes = needed.flatMap((node) => operations[node.op].traits.sizedBy.map((at) => node.inputs[at]!));
  const hostNodes = reachable(sizes, (node) => node.inputs);
  return {
    steps: needed
      .filter((node) => !isGiven(node))
      .map((node) => ({
        node,
        lowering: loweringOf(node),
        reads: reads.get(node)!,
        lastUses: [...new Set(reads.get(node)!)].filter(
          (read) => lastReader.get(read) === node && !kept.has(read) && !isGiven(read),
        ),
      })),
    constants: needed.filter((node) => node.op === 'constant'),
    host: nodes.filter((node) => hostNodes.has(node)),
    twins: twinsOf(needed.filter(isRanking)),
  };
}

const inputsOf = (node: Tensor): readonly Tensor[] => node.inputs;

function reachable(roots: readonly Tensor[], next: (node: Tensor) => readonly Tensor[]): Set<Tensor> {
  const found = new Set<Tensor>();
  const stack = [...roots];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (found.has(node)) continue;
    found.add(node);
    stack.push(...next(node));
  }
  return found;
}

function twinsOf(nodes: readonly Tensor[]): Map<Tensor, Tensor> {
  const twins = new Map<Tensor, Tensor>();
  for (const node of nodes) {
    const twin = nodes.find(
      (other) => other.op !== node.op && other.inputs.every((input, i) => input === node.inputs[i]),
    );
    if (twin !== undefined) twins.set(node, twin);
  }
  return twins;
}

function checkLowerings(program: Program, nodes: readonly Tensor[], { name }: Backend): void {
  for (const node of nodes) {
    const { kernels, refusal } = loweringOf(node);
    const missing = kernels.find((kernel) => getKernel(kernel, name) === undefined);
    const reason = missing === undefined ? refusal?.(node, name) : `it has no kernel ${missing}`;
    if (reason !== undefined)
      throw new FuzzError('runtime', `tfjs ${name} cannot run ${node.op}: ${reason}`, {
        path: program.name,
        hint: 'Take another backend of tfjs, or ONNX Runtime.',
      });
  }
}
