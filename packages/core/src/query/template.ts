import { FuzzError } from '../errors.ts';
import { asEntityId, asRelationId } from '../kg/ids.ts';
import type { Query } from './query.ts';
import { type Structure, structureNames, structures, type Template } from './structures.ts';

/** A query taken apart: its shape, and what stands in the slots of the shape. */
export interface FilledTemplate {
  readonly template: Template;
  readonly anchors: readonly number[];
  readonly relations: readonly number[];
}

/** A query recognised as one of the 14 structures, with its slots in the structure's order. */
export interface StructureMatch {
  readonly structure: Structure;
  readonly anchors: number[];
  readonly relations: number[];
}

/**
 * Fills the slots of a template.
 *
 * Shapes: anchors and relations have at least as many members as the template has slots of each kind.
 *
 * @throws FuzzError `query`: a slot without a value.
 */
export function instantiate(
  template: Template,
  anchors: ArrayLike<number>,
  relations: ArrayLike<number>,
): Query {
  switch (template.op) {
    case 'entity':
      return { op: 'entity', entity: asEntityId(slot('anchor', anchors, template.anchor)) };
    case 'project':
      return {
        op: 'project',
        relation: asRelationId(slot('relation', relations, template.relation)),
        from: instantiate(template.from, anchors, relations),
      };
    case 'not':
      return { op: 'not', operand: instantiate(template.operand, anchors, relations) };
    default:
      return {
        op: template.op,
        operands: template.operands.map((operand) => instantiate(operand, anchors, relations)),
      };
  }
}

/** Takes a query apart into its shape and its slots, numbered as in the 14 structures. */
export function templateOf(query: Query): FilledTemplate {
  const anchors: number[] = [];
  const relations: number[] = [];
  return { template: shapeOf(query, anchors, relations), anchors, relations };
}

/** The shape of a query, with what fills its slots behind what is in them. */
function shapeOf(node: Query, anchors: number[], relations: number[]): Template {
  switch (node.op) {
    case 'entity':
      return { op: 'entity', anchor: anchors.push(node.entity) - 1 };
    case 'project': {
      // The inner relations are applied first, so they take the lower slots.
      const from = shapeOf(node.from, anchors, relations);
      return { op: 'project', relation: relations.push(node.relation) - 1, from };
    }
    case 'not':
      return { op: 'not', operand: shapeOf(node.operand, anchors, relations) };
    default:
      return { op: node.op, operands: node.operands.map((each) => shapeOf(each, anchors, relations)) };
  }
}

/**
 * Recognises the 14 structures, with the operands of `and` and `or` in any order; undefined for other queries.
 *
 * A match answers the same: `instantiate(match.structure.template, match.anchors, match.relations)` is the query
 * up to the order of operands, and the query itself when its operands stand in the structure's order.
 */
export function matchStructure(query: Query): StructureMatch | undefined {
  for (const name of structureNames) {
    const structure = structures[name];
    if (structure.template.op !== query.op) continue;
    const anchors: number[] = new Array(structure.anchors).fill(0);
    const relations: number[] = new Array(structure.relations).fill(0);
    if (bind(structure.template, query, anchors, relations)) return { structure, anchors, relations };
  }
  return undefined;
}

function bind(template: Template, query: Query, anchors: number[], relations: number[]): boolean {
  switch (template.op) {
    case 'entity':
      if (query.op !== 'entity') return false;
      anchors[template.anchor] = query.entity;
      return true;
    case 'project':
      if (query.op !== 'project') return false;
      relations[template.relation] = query.relation;
      return bind(template.from, query.from, anchors, relations);
    case 'not':
      return query.op === 'not' && bind(template.operand, query.operand, anchors, relations);
    default: {
      if (query.op !== template.op || query.operands.length !== template.operands.length) return false;
      // Taking the first operand that fits is enough: two operands that fit one template have the same shape,
      // so whichever is taken, what is left fits the templates that are left equally well.
      const left = [...query.operands];
      return template.operands.every((wanted) => {
        const found = left.findIndex((operand) => bind(wanted, operand, anchors, relations));
        if (found >= 0) left.splice(found, 1);
        return found >= 0;
      });
    }
  }
}

function slot(kind: 'anchor' | 'relation', values: ArrayLike<number>, at: number): number {
  const value = values[at];
  if (value === undefined) {
    throw new FuzzError('query', `${kind} slot ${at}: expected a value, got ${values.length} ${kind}s`, {
      path: `${kind}s[${at}]`,
      hint: `Give as many ${kind}s as the template has slots.`,
    });
  }
  return value;
}
