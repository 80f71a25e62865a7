import { FuzzError } from '@fuzzqe/core';
import { type Dim, formatShape, type Shape, type Tensor } from '@fuzzqe/core/tensor';
import { type ElementType, elementTypeOf, elementTypes } from '../proto/element-type.ts';
import type { OnnxNode, OnnxTensor, OnnxValueInfo } from '../proto/model.ts';
import { bytesOf } from '../proto/tensor-data.ts';
import { type Attributes, toAttributes } from './attribute.ts';
import type { Names } from './names.ts';
import { rowsOf } from './placement.ts';

/** A value of the graph with the shape that the tensor program gives it. */
export interface ShapedValue {
  readonly name: string;
  readonly shape: Shape;
}

interface Source {
  readonly value: string;
  readonly axis: number;
}

/** What lowerings build with: it keeps nodes and initializers, and what is known about symbolic dimensions. */
export class GraphBuilder {
  readonly nodes: OnnxNode[] = [];
  readonly initializers: OnnxTensor[] = [];
  readonly valueInfos: OnnxValueInfo[] = [];
  readonly #names: Names;
  readonly #prefix: string;
  readonly #made = new Map<string, readonly string[]>();
  readonly #sources = { given: new Map<string, Source>(), computed: new Map<string, Source>() };
  #scope = '';

  /** `prefix` begins the names of what belongs to no single tensor; a branch of a switch has one. */
  constructor(names: Names, prefix = '') {
    this.#names = names;
    this.#prefix = prefix;
  }

  /** Begins the nodes of one tensor: those that help to compute it are named after it, `W_r/Cast`. */
  enter(scope: string): void {
    this.#scope = scope;
  }

  /** A free name for something that belongs to the present tensor. */
  fresh(suffix: string): string {
    return this.#names.fresh(`${this.#scope}/${suffix}`);
  }

  /** Names that were made under this key before, or those that `make` makes now. */
  once(key: string, make: () => readonly string[]): readonly string[] {
    const made = this.#made.get(key) ?? make();
    this.#made.set(key, made);
    return made;
  }

  /** Adds a node whose values get the names in `outputs`. */
  nodeWith(
    opType: string,
    inputs: readonly string[],
    attributes: Attributes,
    outputs: readonly string[],
    name: string = this.fresh(opType),
  ): void {
    this.nodes.push({ input: inputs, output: outputs, name, opType, attribute: toAttributes(attributes) });
  }

  /** Adds a node that helps to compute the present tensor, and returns the name of its value. */
  node(opType: string, inputs: readonly string[], attributes: Attributes = {}): string {
    const name = this.fresh(opType);
    this.nodeWith(opType, inputs, attributes, [name], name);
    return name;
  }

  /** Numbers in the graph's file; equal ones are written once, under the first name. */
  constant(type: ElementType, dims: readonly number[], values: readonly number[], name: string): string {
    const rawData = bytesOf(type, values);
    return this.once(`${type} [${dims}] ${rawData}`, () => {
      const fresh = this.#names.fresh(this.#prefix + name);
      this.initializers.push({ dims, dataType: elementTypes[type], name: fresh, rawData, externalData: [] });
      return [fresh];
    })[0]!;
  }

  /** A row of int64 numbers: axes, dimensions, starts, ends. */
  integers(values: readonly number[]): string {
    return this.constant('int64', [values.length], values, `[${values}]`);
  }

  /**
   * Rows of a parameter in another file as an initializer that names their bytes there, so that no run copies them.
   *
   * Undefined where the parameter is not in another file, or not of this graph.
   */
  rows(parameter: string, start: number, end: number): string | undefined {
    const whole = this.initializers.find(({ name }) => name === parameter);
    if (whole === undefined || whole.externalData.length === 0) return undefined;
    return this.once(`${parameter}[${start}:${end}]`, () => {
      const name = this.#names.fresh(`${parameter}[${start}:${end}]`);
      this.initializers.push(rowsOf(whole, start, end, name));
      return [name];
    })[0]!;
  }

  /** Says that a value has a shape, so that later nodes can read the dimensions that are only names from it. */
  know(value: string, shape: Shape, origin: 'given' | 'computed'): void {
    const sources = this.#sources[origin];
    shape.forEach((dim, axis) => {
      if (typeof dim === 'string' && !sources.has(dim)) sources.set(dim, { value, axis });
    });
  }

  /** Whether `dimensions` can find out how large a dim is, from the values nearby or from any before. */
  knows(dim: Dim, near: readonly ShapedValue[]): boolean {
    return typeof dim === 'number' || this.#sourceOf(dim, near) !== undefined;
  }

  /** Writes the type of an intermediate value into the file, for people and for shape inference. */
  describe(value: string, tensor: Tensor): void {
    this.valueInfos.push(valueInfo(value, elementTypeOf[tensor.dtype], tensor.shape));
  }

  /**
   * The dimensions of a shape as an int64 row.
   *
   * @throws FuzzError `shape`: a name stands at no value before.
   */
  dimensions(shape: Shape, near: readonly ShapedValue[]): string {
    const parts: string[] = [];
    let numbers: number[] = [];
    const flush = (): void => {
      if (numbers.length > 0) parts.push(this.integers(numbers));
      numbers = [];
    };
    for (const dim of shape) {
      if (typeof dim === 'number') numbers.push(dim);
      else {
        flush();
        parts.push(this.#dimension(dim, near, shape));
      }
    }
    flush();
    return parts.length === 1 ? parts[0]! : this.node('Concat', parts, { axis: 0 });
  }

  #dimension(dim: string, near: readonly ShapedValue[], shape: Shape): string {
    const source = this.#sourceOf(dim, near);
    if (source === undefined)
      throw new FuzzError('shape', `the dimension "${dim}" of ${formatShape(shape)} is not known here`, {
        hint: 'let an input, or a tensor that is computed before, have this dimension',
      });
    const { value, axis } = source;
    return this.once(`Shape ${value} ${axis}`, () => [
      this.node('Shape', [value], { start: axis, end: axis + 1 }),
    ])[0]!;
  }

  /** Inputs come first, because every later tensor can share what is read from them; then the values nearby. */
  #sourceOf(dim: string, near: readonly ShapedValue[]): Source | undefined {
    const given = this.#sources.given.get(dim);
    if (given !== undefined) return given;
    for (const { name, shape } of near)
      if (shape.includes(dim)) return { value: name, axis: shape.indexOf(dim) };
    return this.#sources.computed.get(dim);
  }
}

/** A name with its type; a dimension that is only a name becomes a `dim_param`. */
export function valueInfo(name: string, type: ElementType, shape: Shape): OnnxValueInfo {
  const dim = shape.map((dimension) =>
    typeof dimension === 'number' ? { dimValue: dimension } : { dimParam: dimension },
  );
  return { name, type: { tensorType: { elemType: elementTypes[type], shape: { dim } } } };
}
