import { createProgram, input, type Program, type Tensor, withDimensionNames } from '@fuzzqe/core/tensor';

/** Returns the name of an input or output of step `at` in an unrolled program. */
export const nameInStep = (name: string, at: number): string => `${name}@${at}`;

/**
 * Unrolls a step into one program of `steps` steps, each of which begins with the state that the one before it ended with.
 *
 * Inputs are `<feed>@<step>`, each with dimensions of its own; outputs `loss@<step>` for every step, and `next.<state>`
 * of the last one. Steps are counted from 0.
 */
export function unrollProgram(program: Program, steps: number): Program {
  const inputs: Tensor[] = [];
  const outputs: Record<string, Tensor> = {};
  let state = new Map<string, Tensor>();
  for (let at = 0; at < steps; at += 1) {
    const built = new Map<Tensor, Tensor>();
    const name = (dimension: string): string => nameInStep(dimension, at);
    for (const node of program.nodes) built.set(node, rebuild(node));
    for (const feed of program.inputs) inputs.push(built.get(feed)!);
    const next = new Map<string, Tensor>();
    for (const { name, tensor } of program.outputs)
      if (name.startsWith('next.')) next.set(name.slice('next.'.length), built.get(tensor)!);
      else outputs[nameInStep(name, at)] = built.get(tensor)!;
    state = next;

    function rebuild(node: Tensor): Tensor {
      if (node.op === 'parameter') return state.get(node.attributes.name) ?? node;
      const renamed = withDimensionNames(
        node,
        node.inputs.map((source) => built.get(source)!),
        name,
      );
      return node.op === 'input' ? input(name(node.attributes.name), node.dtype, renamed.shape) : renamed;
    }
  }
  for (const [name, tensor] of state) outputs[`next.${name}`] = tensor;
  return createProgram({
    name: `${program.name}-${steps}-times`,
    description: program.description,
    inputs,
    outputs,
  });
}
