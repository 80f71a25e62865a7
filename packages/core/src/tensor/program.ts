import { FuzzError } from '../errors.ts';
import { operations } from './ops/index.ts';
import { formatShape, renameShape } from './shape.ts';
import type { OpName, Tensor, TensorOf } from './tensor.ts';

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
 * every set of equal nodes.
 *
 * @throws FuzzError `shape`: inputs do not match what the outputs use, or a name is used twice.
 * @example
 * const x = input('x', 'float', ['batch', 2]);
 * const program = createProgram({ name: 'scores', inputs: [x], outputs: { scores: matmul(x, parameter('w', [2, 3])) } });
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
      const operands = inputs.map((input) => numbers.get(input));
      const key = `${tensor.op} ${tensor.dtype} ${JSON.stringify(tensor.shape)} ${operands} ${attributesText(tensor.attributes)}`;
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
  const fail = (problem: string, hint?: string): never => {
    throw new FuzzError('shape', `program ${source.name}: ${problem}`, hint === undefined ? {} : { hint });
  };
  const declared = new Map<string, Given>();
  for (const node of [...used, ...parameters]) {
    const { name } = node.attributes;
    const other = declared.get(name);
    if (other !== undefined)
      fail(
        `"${name}" is declared twice, as ${describe(other)} and as ${describe(node)}`,
        'a name stands for one tensor: give one of them another name, or both the same shape and kind of numbers',
      );
    declared.set(name, node);
  }
  const inputs = source.inputs.map((wanted) => {
    if (wanted.op !== 'input') return fail(`${wanted.op} is listed among the inputs`);
    const found = used.find((node) => node.attributes.name === wanted.attributes.name);
    if (found === undefined) return fail(`no output needs the input ${JSON.stringify(wanted.attributes)}`);
    if (describe(found) !== describe(wanted))
      fail(`"${wanted.attributes.name}" is listed as ${describe(wanted)} and used as ${describe(found)}`);
    return found;
  });
  const repeated = inputs.find((node, i) => inputs.indexOf(node) !== i);
  if (repeated !== undefined) fail(`input "${repeated.attributes.name}" is listed twice`);
  const unlisted = used.find((node) => !inputs.includes(node));
  if (unlisted !== undefined) fail(`input "${unlisted.attributes.name}" is used but not listed`);
  return { name: source.name, description: source.description ?? '', inputs, parameters, nodes, outputs };
}

type Given = TensorOf<'input' | 'parameter'>;

/** `input float[n, 3]`, for messages. */
function describe({ op, dtype, shape }: Given): string {
  return `${op} ${dtype}${formatShape(shape)}`;
}

const attributesTexts = new WeakMap<object, string>();

/** Attributes as a text, made once: a constant of a model has thousands of numbers, and stands in many programs. */
function attributesText(attributes: object): string {
  const text = attributesTexts.get(attributes) ?? JSON.stringify(attributes, exactNumbers);
  attributesTexts.set(attributes, text);
  return text;
}

/** Numbers that JSON writes like another number (−0) or like nothing (±∞, NaN) keep their identity in a key. */
function exactNumbers(_: string, value: unknown): unknown {
  if (typeof value !== 'number') return value;
  if (Object.is(value, -0)) return { number: '-0' };
  return Number.isFinite(value) ? value : { number: String(value) };
}

/** A node of other inputs, with other names for the dimensions in its shape and attributes. */
export function withDimensionNames<K extends OpName>(
  node: TensorOf<K>,
  inputs: readonly Tensor[],
  name: (dimension: string) => string,
): Tensor {
  const attributes = operations[node.op].rename(node.attributes, name);
  const renamed: TensorOf<K> = { ...node, attributes, inputs, shape: renameShape(node.shape, name) };
  return renamed as unknown as Tensor; // the union of TensorOf<K> over all K, which K cannot name
}
