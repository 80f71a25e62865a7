import { attributeTypes, type ElementType, elementTypeNamed } from '../proto/element-type.ts';
import type { OnnxGraph, OnnxNode } from '../proto/model.ts';
import { checkTensor } from './check-tensor.ts';
import { type Kind, kinds, type OperatorRule, operatorRules } from './operators.ts';
import { wrong } from './wrong.ts';

/**
 * Checks a node by the rule of its operator, and returns the kinds of numbers of its outputs.
 *
 * `checkBranch` checks a graph inside the node, and returns the kinds of its outputs. Throws: 'bundle'.
 */
export function checkNode(
  node: OnnxNode,
  inputs: readonly (ElementType | undefined)[],
  path: string,
  checkBranch: (branch: OnnxGraph) => readonly ElementType[],
): readonly ElementType[] {
  const rule = operatorRules.get(node.opType ?? '');
  if (rule === undefined || (node.domain ?? '') !== '')
    wrong(path, `FuzzQE does not use the operator "${node.domain ? `${node.domain}.` : ''}${node.opType}"`);
  checkArity(node, rule, path);
  checkAttributes(node, rule, path);
  const bound = new Map<Kind, ElementType>();
  inputs.forEach((got, i) => {
    const kind = rule.inputs[Math.min(i, rule.inputs.length - 1)]!;
    if (got !== undefined) bind(kind, got, bound, `input "${node.input[i]}"`, path);
  });
  if (rule.outputs === 'branches') return branchOutputs(node, path, checkBranch);
  return rule.outputs
    .slice(0, node.output.length)
    .map((kind) =>
      kind === 'to' || kind === 'value'
        ? told(node, kind, path)
        : isLetter(kind)
          ? (bound.get(kind) ?? wrong(path, 'the kind of its output is not known'))
          : kind,
    );
}

function checkArity(node: OnnxNode, rule: OperatorRule, path: string): void {
  const least = rule.required ?? rule.inputs.length;
  const most = rule.repeats ? Number.POSITIVE_INFINITY : rule.inputs.length;
  if (node.input.length < least || node.input.length > most)
    wrong(path, `expected ${most === least ? least : `${least} or more`} inputs, got ${node.input.length}`);
  if (node.input.slice(0, least).includes('')) wrong(path, 'an input that it needs is left out');
  if (rule.outputs !== 'branches' && node.output.length !== rule.outputs.length)
    wrong(path, `expected ${rule.outputs.length} outputs, got ${node.output.length}`);
}

function checkAttributes(node: OnnxNode, rule: OperatorRule, path: string): void {
  const seen = new Set<string>();
  for (const attribute of node.attribute) {
    const { name = '' } = attribute;
    const kind = rule.attributes?.[name];
    if (kind === undefined) wrong(path, `there is no attribute "${name}"`);
    if (seen.has(name)) wrong(path, `the attribute "${name}" occurs twice`);
    seen.add(name);
    if (attribute.type !== attributeTypes[kind] || attribute[kind] === undefined)
      wrong(path, `the attribute "${name}" does not hold the right kind of value`);
    if (attribute.t !== undefined) checkTensor(attribute.t, `${path}, attribute "${name}"`);
  }
  const missing = rule.needs?.find((name) => !seen.has(name));
  if (missing !== undefined) wrong(path, `the attribute "${missing}" is missing`);
}

/** What each of the branches gives: the same, and as much as the node. */
function branchOutputs(
  node: OnnxNode,
  path: string,
  checkBranch: (branch: OnnxGraph) => readonly ElementType[],
): readonly ElementType[] {
  const given = node.attribute.map(({ g }) => checkBranch(g!)); // only graphs passed the check of attributes
  for (const outputs of given) {
    if (outputs.length !== node.output.length)
      wrong(path, `it has ${node.output.length} outputs, a branch has ${outputs.length}`);
    if (outputs.join() !== given[0]!.join()) wrong(path, `its branches give ${given.join(' and ')}`);
  }
  return given[0]!;
}

const isLetter = (kind: Kind): kind is keyof typeof kinds => kind in kinds;

function bind(kind: Kind, got: ElementType, bound: Map<Kind, ElementType>, what: string, path: string): void {
  const expected = isLetter(kind) ? bound.get(kind) : kind;
  if (expected === undefined && isLetter(kind)) {
    if (!kinds[kind].includes(got)) wrong(path, `${what} is ${got}, expected ${kinds[kind].join(' or ')}`);
    bound.set(kind, got);
  } else if (got !== expected) wrong(path, `${what} is ${got}, expected ${expected}`);
}

/** The kind of numbers that an attribute tells: `to` of a Cast, `value` of a ConstantOfShape. */
function told(node: OnnxNode, name: 'to' | 'value', path: string): ElementType {
  const attribute = node.attribute.find((each) => each.name === name);
  if (attribute === undefined) return 'float'; // what ConstantOfShape makes where nothing is said
  const number = name === 'to' ? attribute.i : attribute.t?.dataType;
  return elementTypeNamed(number) ?? wrong(path, `FuzzQE does not use data type ${number}`);
}
