import {
  attributeTypes,
  type ElementType,
  elementTypeNamed,
  externalLocation,
} from '../proto/element-type.ts';
import type { OnnxAttribute, OnnxGraph, OnnxNode } from '../proto/model.ts';
import { checkTensor } from './check-tensor.ts';
import { invalid } from './invalid.ts';
import { type OperandType, type OperatorRule, operatorRules, typeConstraints } from './operators.ts';

/**
 * Checks a node by the rule of its operator, and returns the typeConstraints of numbers of its outputs.
 *
 * `checkBranch` checks a graph inside the node, and returns the typeConstraints of its outputs.
 *
 * @throws FuzzError `bundle`.
 */
export function checkNode(
  node: OnnxNode,
  inputs: readonly (ElementType | undefined)[],
  path: string,
  checkBranch: (branch: OnnxGraph) => readonly ElementType[],
): readonly ElementType[] {
  const rule = operatorRules.get(node.opType ?? '');
  if (rule === undefined || (node.domain ?? '') !== '')
    invalid(path, `FuzzQE does not use the operator "${node.domain ? `${node.domain}.` : ''}${node.opType}"`);
  checkArity(node, rule, path);
  checkAttributes(node, rule, path);
  const bound = new Map<OperandType, ElementType>();
  inputs.forEach((got, i) => {
    const kind = rule.inputs[Math.min(i, rule.inputs.length - 1)]!;
    if (got !== undefined) bind(kind, got, bound, `input "${node.input[i]}"`, path);
  });
  if (rule.outputs === 'branches') return branchOutputs(node, path, checkBranch);
  return rule.outputs
    .slice(0, node.output.length)
    .map((kind) =>
      kind === 'to' || kind === 'value'
        ? announcedType(node, kind, path)
        : isLetter(kind)
          ? (bound.get(kind) ?? invalid(path, 'the kind of its output is not known'))
          : kind,
    );
}

function checkArity(node: OnnxNode, rule: OperatorRule, path: string): void {
  const least = rule.required ?? rule.inputs.length;
  const most = rule.repeats ? Number.POSITIVE_INFINITY : rule.inputs.length;
  if (node.input.length < least || node.input.length > most)
    invalid(path, `expected ${most === least ? least : `${least} or more`} inputs, got ${node.input.length}`);
  if (node.input.slice(0, least).includes('')) invalid(path, 'an input that it needs is left out');
  if (rule.outputs !== 'branches' && node.output.length !== rule.outputs.length)
    invalid(path, `expected ${rule.outputs.length} outputs, got ${node.output.length}`);
}

function checkAttributes(node: OnnxNode, rule: OperatorRule, path: string): void {
  const seen = new Set<string>();
  for (const attribute of node.attribute) {
    const { name = '' } = attribute;
    const kind = rule.attributes?.[name];
    if (kind === undefined) invalid(path, `there is no attribute "${name}"`);
    if (seen.has(name)) invalid(path, `the attribute "${name}" occurs twice`);
    seen.add(name);
    if (attribute.type !== attributeTypes[kind] || !holdsOnly(attribute, kind))
      invalid(path, `the attribute "${name}" does not hold the right kind of value`);
    if (attribute.t === undefined) continue;
    const at = `${path}, attribute "${name}"`;
    if (attribute.t.dataLocation === externalLocation) invalid(at, 'its numbers are in another file');
    checkTensor(attribute.t, at);
  }
  const missing = rule.needs?.find((name) => !seen.has(name));
  if (missing !== undefined) invalid(path, `the attribute "${missing}" is missing`);
}

/** The element types that every branch returns: the same ones, as many as the node has outputs. */
function branchOutputs(
  node: OnnxNode,
  path: string,
  checkBranch: (branch: OnnxGraph) => readonly ElementType[],
): readonly ElementType[] {
  const given = node.attribute.map(({ g }) => checkBranch(g!)); // only graphs passed the check of attributes
  for (const outputs of given) {
    if (outputs.length !== node.output.length)
      invalid(path, `it has ${node.output.length} outputs, a branch has ${outputs.length}`);
    if (outputs.join() !== given[0]!.join()) invalid(path, `its branches give ${given.join(' and ')}`);
  }
  return given[0]!;
}

const values = ['f', 'i', 's', 't', 'g'] as const;

/** Whether an attribute has a value of this kind and none of another, which a runtime might take instead. */
function holdsOnly(attribute: OnnxAttribute, kind: keyof typeof attributeTypes): boolean {
  const { floats, ints } = attribute;
  return (
    attribute[kind] !== undefined &&
    values.every((other) => other === kind || attribute[other] === undefined) &&
    (kind === 'floats' || floats.length === 0) &&
    (kind === 'ints' || ints.length === 0)
  );
}

const isLetter = (kind: OperandType): kind is keyof typeof typeConstraints => kind in typeConstraints;

function bind(
  kind: OperandType,
  got: ElementType,
  bound: Map<OperandType, ElementType>,
  what: string,
  path: string,
): void {
  const expected = isLetter(kind) ? bound.get(kind) : kind;
  if (expected === undefined && isLetter(kind)) {
    if (!typeConstraints[kind].includes(got))
      invalid(path, `${what} is ${got}, expected ${typeConstraints[kind].join(' or ')}`);
    bound.set(kind, got);
  } else if (got !== expected) invalid(path, `${what} is ${got}, expected ${expected}`);
}

/** The element type that an attribute names: `to` of a Cast, `value` of a ConstantOfShape. */
function announcedType(node: OnnxNode, name: 'to' | 'value', path: string): ElementType {
  const attribute = node.attribute.find((each) => each.name === name);
  if (attribute === undefined) return 'float'; // what ConstantOfShape makes where nothing is said
  const number = name === 'to' ? attribute.i : attribute.t?.dataType;
  return elementTypeNamed(number) ?? invalid(path, `FuzzQE does not use data type ${number}`);
}
