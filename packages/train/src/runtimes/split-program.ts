import { createProgram, input, type Program, type Tensor } from '@fuzzqe/core/tensor';

/** A program in two parts that run one after the other. */
export interface SplitProgram {
  /** Everything that no scatter-add takes part in, but those to distinct rows; its outputs named `cross.n` feed the second part. */
  readonly parallel: Program;
  /** The scatter-adds and all that follows from them. Undefined where there is none. */
  readonly serial: Program | undefined;
}

/**
 * Splits a program so that its scatter-adds can run on one thread while all the rest uses many.
 *
 * ONNX Runtime's CPU kernel for ScatterND with addition loses updates when several threads meet at one row, so the
 * part that contains it must run in a session of one thread; the dense part must not pay for that.
 */
export function splitProgram(program: Program): SplitProgram {
  const serial = new Set<Tensor>();
  for (const node of program.nodes)
    if (meetsAtRows(node) || node.inputs.some((source) => serial.has(source))) serial.add(node);
  if (serial.size === 0) return { parallel: program, serial: undefined };

  const crossings = new Map<Tensor, Tensor>();
  const replaced = new Map<Tensor, Tensor>();
  /** The same node with inputs instead of what the parallel part computes. */
  const rebuild = (node: Tensor): Tensor => {
    const known = replaced.get(node);
    if (known !== undefined) return known;
    let result: Tensor;
    if (serial.has(node)) {
      result = { ...node, inputs: node.inputs.map(rebuild) } as Tensor;
    } else if (node.inputs.length === 0) {
      result = node;
    } else {
      result = input(`cross.${crossings.size}`, node.dtype, node.shape);
      crossings.set(node, result);
    }
    replaced.set(node, result);
    return result;
  };
  for (const node of program.nodes) if (serial.has(node)) rebuild(node);

  const serialOutputs = program.outputs.filter(({ tensor }) => serial.has(tensor));
  const parallelOutputs = program.outputs.filter(({ tensor }) => !serial.has(tensor));
  const crossing = [...crossings].map(([tensor, stand]) => [nameOf(stand), tensor] as const);
  const part = (
    name: string,
    outputs: readonly (readonly [string, Tensor])[],
    extra: readonly Tensor[],
  ): Program =>
    createProgram({
      name: `${program.name}-${name}`,
      description: program.description,
      inputs: [...program.inputs.filter((feed) => reaches(outputs, feed)), ...extra],
      outputs: Object.fromEntries(outputs),
    });
  return {
    parallel: part(
      'parallel',
      [...parallelOutputs.map(({ name, tensor }) => [name, tensor] as const), ...crossing],
      [],
    ),
    serial: part(
      'serial',
      serialOutputs.map(({ name, tensor }) => [name, replaced.get(tensor)!] as const),
      [...crossings.values()],
    ),
  };
}

/** Whether several threads may add to the same row. */
function meetsAtRows(node: Tensor): boolean {
  return node.op === 'scatterAdd' && !node.attributes.distinct;
}

function nameOf(tensor: Tensor): string {
  return tensor.op === 'input' ? tensor.attributes.name : '';
}

/** Whether any of the outputs needs the input. */
function reaches(outputs: readonly (readonly [string, Tensor])[], feed: Tensor): boolean {
  const seen = new Set<Tensor>();
  const stack = outputs.map(([, tensor]) => tensor);
  while (stack.length > 0) {
    const node = stack.pop()!;
    if (node === feed) return true;
    if (seen.has(node)) continue;
    seen.add(node);
    stack.push(...node.inputs);
  }
  return false;
}
