import { type ElementType, elementTypeNamed } from '../proto/element-type.ts';
import type { OnnxGraph, OnnxValueInfo } from '../proto/model.ts';
import { checkNode } from './check-node.ts';
import { checkTensor, type ExternalSize } from './check-tensor.ts';
import { expectUnique, invalid } from './invalid.ts';

/** The kinds of numbers of values by name. */
type Values = ReadonlyMap<string, ElementType>;

/**
 * Checks a graph of a file.
 *
 * @throws FuzzError `bundle`.
 */
export function checkGraph(graph: OnnxGraph, externalSize?: ExternalSize): void {
  checkNested(graph, '', new Map(), externalSize);
}

/**
 * Checks a graph that sees the values `outer`, and returns the kinds of its outputs.
 *
 * A branch may read what was there before its node; a name that it gives itself must be free there, so that no name
 * means two things at one place.
 */
function checkNested(
  graph: OnnxGraph,
  within: string,
  outer: Values,
  externalSize: ExternalSize | undefined,
): ElementType[] {
  if (!graph.name) invalid(`${within}graph`, 'it has no name');
  if (graph.output.length === 0) invalid(`${within}graph`, 'it has no outputs');

  const values = new Map<string, ElementType>(outer);
  const declare = (name: string, type: ElementType, path: string): void => {
    if (name === '') invalid(path, 'its value has no name');
    if (values.has(name)) invalid(path, `the value "${name}" exists already`);
    values.set(name, type);
  };
  for (const info of graph.input) {
    const path = `${within}input "${info.name}"`;
    declare(info.name ?? '', checkType(info, path), path);
  }
  for (const tensor of graph.initializer) {
    const path = `${within}initializer "${tensor.name}"`;
    checkTensor(tensor, path, externalSize);
    declare(tensor.name ?? '', elementTypeNamed(tensor.dataType)!, path);
  }

  const produced = new Set(graph.node.flatMap(({ output }) => output));
  expectUnique(
    graph.node.map(({ name = '' }) => name),
    (name) => `${within}node "${name}"`,
  );
  for (const node of graph.node) {
    const path = `${within}node "${node.name}" (${node.opType})`;
    const inputs = node.input.map((name) => {
      if (name === '') return undefined;
      if (!values.has(name))
        invalid(
          path,
          `its input "${name}" ${produced.has(name) ? 'is produced later' : 'is produced by nobody'}`,
        );
      return values.get(name);
    });
    const checkBranch = (branch: OnnxGraph): ElementType[] => {
      if (branch.input.length > 0) invalid(`${path}, graph "${branch.name}"`, 'a branch has no inputs');
      return checkNested(branch, `${path}, graph "${branch.name}", `, values, externalSize);
    };
    checkNode(node, inputs, path, checkBranch).forEach((type, i) => {
      declare(node.output[i]!, type, path);
    });
  }

  // What a graph gives or describes is its own: a branch that hands on what it captured has a node for it.
  const own: Values = new Map([...values].filter(([name]) => !outer.has(name)));
  checkDeclared(graph.valueInfo, `${within}value`, own);
  return checkDeclared(graph.output, `${within}output`, own);
}

/** Checks that values that are announced exist and hold the numbers that are announced, which it returns. */
function checkDeclared(infos: readonly OnnxValueInfo[], kind: string, values: Values): ElementType[] {
  expectUnique(
    infos.map(({ name = '' }) => name),
    (name) => `${kind} "${name}"`,
  );
  return infos.map((info) => {
    const path = `${kind} "${info.name}"`;
    const announced = checkType(info, path);
    const got = values.get(info.name ?? '') ?? invalid(path, 'it is produced by nobody');
    if (got !== announced) invalid(path, `it is announced as ${announced}, but is ${got}`);
    return got;
  });
}

function checkType({ type }: OnnxValueInfo, path: string): ElementType {
  const tensor = type?.tensorType;
  const element = elementTypeNamed(tensor?.elemType);
  if (element === undefined) invalid(path, `FuzzQE does not use data type ${tensor?.elemType}`);
  if (tensor?.shape === undefined) invalid(path, 'it has no shape');
  for (const { dimValue, dimParam } of tensor.shape.dim)
    if (dimParam === undefined ? dimValue === undefined || dimValue < 0 : dimParam === '')
      invalid(path, `a dimension is ${dimValue ?? 'neither a number nor a name'}`);
  return element;
}
