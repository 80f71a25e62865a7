import { FuzzError } from '../errors.ts';
import type { Tensor, TensorOf } from './tensor.ts';

/** A tensor program that is ready to be interpreted: every node once, each after what it needs. */
export interface Program {
  readonly name: string;
  /** One sentence for people who open the exported file. */
  readonly description: string;
  readonly inputs: readonly TensorOf<'input'>[];
  readonly parameters: readonly TensorOf<'parameter'>[];
  readonly nodes: readonly Tensor[];
  readonly outputs: readonly { readonly name: string; readonly tensor: Tensor }[];
}

/** What a program is made of. */
export interface ProgramSource {
  readonly name: string;
  readonly description?: string;
  /** The order of the inputs; an input that is not listed or not used is a 'shape' error. */
  readonly inputs: readonly Tensor[];
  readonly outputs: Readonly<Record<string, Tensor>>;
}

/**
 * Collects what the outputs need, in an order that depends on nothing but the program itself, and keeps one of
 * every set of equal nodes. Throws: 'shape' where inputs do not match what the outputs use, or a name is used twice.
 */
export function createProgram(source: ProgramSource): Program {
  const nodes: Tensor[] = [];
  const known = new Map<Tensor, Tensor>();
  const numbers = new Map<Tensor, number>();
  const byKey = new Map<string, Tensor>();

  const visit = (root: Tensor): Tensor => {
    // An explicit stack: a training step's gradient is deeper than the call stack allows.
    const stack: Tensor[] = [root];
    while (stack.length > 0) {
      const tensor = stack.at(-1)!;
      if (known.has(tensor)) {
        stack.pop();
        continue;
      }
      const waiting = tensor.inputs.filter((input) => !known.has(input));
      if (waiting.length > 0) {
        stack.push(...waiting.reverse());
        continue;
      }
      stack.pop();
      const inputs = tensor.inputs.map((input) => known.get(input)!);
      const key = JSON.stringify([
        tensor.op,
        tensor.attributes,
        tensor.op === 'constant' ? tensor.shape : 0,
        tensor.dtype,
        inputs.map((input) => numbers.get(input)),
      ]);
      let kept = byKey.get(key);
      if (kept === undefined) {
        kept = inputs.every((input, i) => input === tensor.inputs[i])
          ? tensor
          : ({ ...tensor, inputs } as Tensor);
        byKey.set(key, kept);
        numbers.set(kept, nodes.length);
        nodes.push(kept);
      }
      known.set(tensor, kept);
    }
    return known.get(root)!;
  };

  const outputs = Object.entries(source.outputs).map(([name, tensor]) => ({ name, tensor: visit(tensor) }));
  const used = nodes.filter((node) => node.op === 'input');
  const parameters = nodes.filter((node) => node.op === 'parameter');
  const names = [...used, ...parameters].map((node) => node.attributes.name);
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined)
    throw new FuzzError('shape', `program ${source.name}: "${twice}" is declared twice, differently`);
  const inputs = source.inputs.map((wanted) => {
    const found = used.find(
      (node) => wanted.op === 'input' && node.attributes.name === wanted.attributes.name,
    );
    if (found === undefined)
      throw new FuzzError(
        'shape',
        `program ${source.name}: no output needs the input ${JSON.stringify(wanted.attributes)}`,
      );
    return found;
  });
  const unlisted = used.find((node) => !inputs.includes(node));
  if (unlisted !== undefined)
    throw new FuzzError(
      'shape',
      `program ${source.name}: input "${unlisted.attributes.name}" is used but not listed`,
    );
  return { name: source.name, description: source.description ?? '', inputs, parameters, nodes, outputs };
}
