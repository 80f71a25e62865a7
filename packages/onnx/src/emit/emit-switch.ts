import { FuzzError } from '@fuzzqe/core';
import { formatShape, type Program, type Tensor, type TensorOf } from '@fuzzqe/core/tensor';
import { encodeOnnx } from '../proto/codec.ts';
import { attributeTypes, elementTypeOf } from '../proto/element-type.ts';
import type { OnnxGraph, OnnxModel, OnnxNode } from '../proto/model.ts';
import { type EmitOptions, infoOf, lowerInto, modelOf } from './emit-onnx.ts';
import { GraphBuilder, valueInfo } from './graph-builder.ts';
import { createNames, type Names } from './names.ts';
import { type ParameterPlacement, placedParameter } from './placement.ts';

/** Programs of which a run chooses one. */
export interface Switch {
  readonly name: string;
  /** One sentence for people who open the exported file. */
  readonly description: string;
  /** An input, int [1]: the number of the case that runs. Below 0 is the first, beyond the end the last. */
  readonly selector: Tensor;
  /** Two or more, with the same outputs. Inputs and parameters of one name are the same in all of them. */
  readonly cases: readonly Program[];
  /** What the graph takes and gives, where cases take and give different things. */
  readonly form?: SwitchForm;
}

/**
 * What a graph takes and gives whichever case runs.
 *
 * A case gives a zero for an output that it does not have.
 */
export interface SwitchForm {
  /** After the selector, in this order. */
  readonly inputs: readonly TensorOf<'input'>[];
  readonly outputs: readonly SwitchOutput[];
  /** How the graph calls an input and an output of a case, whose kind and number of dimensions are the same. */
  inputName(program: string, input: string): string;
  outputName(program: string, output: string): string;
}

/** An output of a switch. */
export type SwitchOutput = Pick<Tensor, 'dtype' | 'shape'> & { readonly name: string };

type Given = TensorOf<'input' | 'parameter'>;

/**
 * A switch as an ONNX file: a binary tree of `If` over the cases.
 *
 * Branches capture the graph's inputs and initializers, so that there is one copy of each parameter however many cases
 * use it. Inputs of the graph are the selector and those of the cases, each once and in the order in which they are met;
 * outputs are those of the cases. Values of a case are named after it: `2i/projection`.
 *
 * @throws FuzzError `shape` as `emitOnnx`, and where cases do not have the same outputs or a name means two things.
 */
export function emitSwitch(source: Switch, options: EmitOptions = {}): Uint8Array {
  return encodeOnnx(emitSwitchModel(source, options));
}

/** The same as `emitSwitch`, before it becomes bytes. */
export function emitSwitchModel(source: Switch, options: EmitOptions = {}): OnnxModel {
  const { name, description, selector, cases } = source;
  const form = source.form === undefined ? commonForm(source) : checkedForm(source, source.form);
  const results = form.outputs;
  const inputs: Given[] = [selectorOf(selector), ...form.inputs];
  const parameters = distinct(cases.flatMap((program) => program.parameters));

  const names = createNames();
  for (const taken of [
    ...[...inputs, ...parameters].map((node) => node.attributes.name),
    ...results.map((o) => o.name),
  ])
    if (taken === '' || !names.reserve(taken))
      throw new FuzzError('shape', `switch "${name}" uses the name "${taken}" twice`, {
        hint: 'inputs, parameters and outputs of a graph share one set of names, and none is empty',
      });

  const graph = new GraphBuilder(names);
  const place = options.parameters ?? ((): ParameterPlacement => ({ kind: 'input' }));
  for (const node of parameters) {
    const placement = place(node.attributes.name);
    if (placement.kind === 'input') inputs.push(node);
    else graph.initializers.push(placedParameter(node, placement));
  }
  for (const node of inputs) graph.know(node.attributes.name, node.shape, 'given');

  choose(
    {
      graph,
      names,
      inputs,
      form,
      selector: selectorOf(selector).attributes.name,
      cases,
      described: options.described ?? true,
    },
    0,
    cases.length,
    '',
  );

  return modelOf(
    {
      node: graph.nodes,
      name,
      initializer: graph.initializers,
      docString: description,
      input: inputs.map(infoOf),
      output: results.map(infoOfOutput),
      valueInfo: graph.valueInfos,
    },
    options,
  );
}

interface Choice {
  readonly graph: GraphBuilder;
  readonly names: Names;
  readonly inputs: readonly Given[];
  readonly form: SwitchForm;
  readonly selector: string;
  readonly cases: readonly Program[];
  readonly described: boolean;
}

/** Adds what chooses among the cases from `from` up to `to`, and gives its outputs names that begin with `prefix`. */
function choose(choice: Choice, from: number, to: number, prefix: string): void {
  const { graph, selector, cases, names, form } = choice;
  const middle = (from + to) >> 1;
  const range = rangeName(cases, from, to);
  graph.enter(prefix === '' ? range : prefix.slice(0, -1));
  const bound = graph.constant('int32', [1], [middle], `${cases[middle]!.name}`);
  const condition = names.fresh(`${selector} >= ${cases[middle]!.name}`);
  graph.nodeWith('GreaterOrEqual', [selector, bound], {}, [condition], condition);
  const branch = (name: string, [start, end]: readonly [number, number]): OnnxNode['attribute'][number] => ({
    name,
    g: branchOf(choice, start, end),
    floats: [],
    ints: [],
    type: attributeTypes.g,
  });
  graph.nodes.push({
    input: [condition],
    output: form.outputs.map(({ name }) => prefix + name),
    name: names.fresh(range),
    opType: 'If',
    attribute: [branch('else_branch', [from, middle]), branch('then_branch', [middle, to])],
  });
}

/** The cases from `from` up to `to` as a graph without inputs: a case, or a choice of two smaller branches. */
function branchOf(choice: Choice, from: number, to: number): OnnxGraph {
  const { cases, names, inputs, form, described } = choice;
  const single = to - from === 1 ? cases[from] : undefined;
  const prefix = `${rangeName(cases, from, to)}/`;
  const graph = new GraphBuilder(names, prefix);
  if (single === undefined) {
    for (const node of inputs) graph.know(node.attributes.name, node.shape, 'given');
    choose({ ...choice, graph }, from, to, prefix);
  } else lowerCase(graph, single, form, { fresh: (base) => names.fresh(prefix + base), prefix });
  const own = new Map(
    single?.outputs.map(({ name, tensor }) => [form.outputName(single.name, name), tensor.shape]),
  );
  return {
    node: graph.nodes,
    name: prefix.slice(0, -1),
    initializer: graph.initializers,
    ...(described ? { docString: single?.description ?? `One of ${namesOf(cases, from, to)}.` } : {}),
    input: [],
    output: form.outputs.map(({ name, dtype, shape }) =>
      infoOfOutput({
        name: prefix + name,
        dtype,
        shape: own.get(name) ?? (single === undefined ? shape : shape.map(() => 1)),
      }),
    ),
    valueInfo: described ? graph.valueInfos : [],
  };
}

/** A case, with its inputs and outputs under the names that the form has for them. */
function lowerCase(
  graph: GraphBuilder,
  program: Program,
  form: SwitchForm,
  { fresh, prefix }: { readonly fresh: (base: string) => string; readonly prefix: string },
): void {
  const input = (name: string): string => form.inputName(program.name, name);
  for (const node of program.inputs) graph.know(input(node.attributes.name), node.shape, 'given');
  const output = (name: string): string => prefix + form.outputName(program.name, name);
  lowerInto(graph, program, { fresh, input, output });
  const given = new Set(program.outputs.map(({ name }) => form.outputName(program.name, name)));
  for (const { name, dtype, shape } of form.outputs) {
    if (given.has(name)) continue;
    graph.enter(prefix + name);
    const ones = shape.map(() => 1);
    const zero = graph.constant(elementTypeOf[dtype], ones, [0], `${name}/zero`);
    graph.nodeWith('Identity', [zero], {}, [prefix + name], prefix + name);
  }
}

/** `1p, 2p, 3p`. */
const namesOf = (cases: readonly Program[], from: number, to: number): string =>
  cases
    .slice(from, to)
    .map(({ name }) => name)
    .join(', ');

/** `2i`, or `1p..2i` for more than one. */
function rangeName(cases: readonly Program[], from: number, to: number): string {
  const [first, last] = [cases[from]!.name, cases[to - 1]!.name];
  return first === last ? first : `${first}..${last}`;
}

const infoOfOutput = ({ name, dtype, shape }: SwitchOutput): OnnxGraph['output'][number] =>
  valueInfo(name, elementTypeOf[dtype], shape);

/** What cases that give the same take together, each under its own name. */
function commonForm(source: Switch): SwitchForm {
  return {
    inputs: distinct<TensorOf<'input'>>(source.cases.flatMap((program) => program.inputs)),
    outputs: outputsOf(source).map(({ name, tensor: { dtype, shape } }) => ({ name, dtype, shape })),
    inputName: (_, name) => name,
    outputName: (_, name) => name,
  };
}

/**
 * A form that its cases fit.
 *
 * @throws FuzzError `shape`: one does not.
 */
function checkedForm({ name, cases }: Switch, form: SwitchForm): SwitchForm {
  const kinds = new Map(
    [...form.inputs.map((node) => ({ ...node, name: node.attributes.name })), ...form.outputs].map((each) => [
      each.name,
      `${each.dtype} of ${each.shape.length} dimensions`,
    ]),
  );
  expectCases(name, cases);
  for (const program of cases)
    for (const [called, { dtype, shape }] of [
      ...program.inputs.map((node) => [form.inputName(program.name, node.attributes.name), node] as const),
      ...program.outputs.map((out) => [form.outputName(program.name, out.name), out.tensor] as const),
    ]) {
      const kind = `${dtype} of ${shape.length} dimensions`;
      if (kinds.get(called) !== kind)
        throw new FuzzError(
          'shape',
          `"${called}": expected ${kinds.get(called) ?? 'no such name'}, got ${kind}`,
          {
            path: `${name}/${program.name}`,
          },
        );
    }
  return form;
}

/** @throws FuzzError `shape`: there is nothing to choose, or no telling what was chosen. */
function expectCases(name: string, cases: readonly Program[]): void {
  if (cases.length < 2)
    throw new FuzzError('shape', `switch "${name}": expected two cases or more, got ${cases.length}`);
  const twice = cases.find((program, i) => cases.findIndex((other) => other.name === program.name) !== i);
  if (twice !== undefined) throw new FuzzError('shape', `switch "${name}" has two cases "${twice.name}"`);
}

/** The outputs that all cases have. */
function outputsOf({ name, cases }: Switch): Program['outputs'] {
  expectCases(name, cases);
  const first = cases[0]!;
  const formOf = (program: Program): string =>
    program.outputs.map(({ name: output, tensor }) => `${output} ${kindOf(tensor)}`).join(', ');
  for (const program of cases)
    if (formOf(program) !== formOf(first))
      throw new FuzzError('shape', `expected the outputs ${formOf(first)}, got ${formOf(program)}`, {
        path: `${name}/${program.name}`,
      });
  return first.outputs;
}

function selectorOf(tensor: Tensor): TensorOf<'input'> {
  if (tensor.op === 'input' && kindOf(tensor) === 'int[1]') return tensor;
  throw new FuzzError('shape', `a selector is an input int[1], got ${tensor.op} ${kindOf(tensor)}`);
}

/**
 * One node of each name.
 *
 * @throws FuzzError `shape`: two of one name differ.
 */
function distinct<T extends Given>(nodes: readonly T[]): T[] {
  const byName = new Map<string, T>();
  for (const node of nodes) {
    const known = byName.get(node.attributes.name);
    if (known === undefined) byName.set(node.attributes.name, node);
    else if (known.op !== node.op || kindOf(known) !== kindOf(node))
      throw new FuzzError(
        'shape',
        `"${node.attributes.name}" is ${known.op} ${kindOf(known)} and ${node.op} ${kindOf(node)}`,
      );
  }
  return [...byName.values()];
}

const kindOf = ({ dtype, shape }: Tensor): string => `${dtype}${formatShape(shape)}`;
