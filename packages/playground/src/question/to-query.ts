import { asRelationId, inverseOf, type RelationId } from '@fuzzqe/core';
import type { Query } from '@fuzzqe/core/query';
import { createKeys, type Hop, type Question } from './question.ts';

/** The query of a question; nothing where a part, an entity or a relation is missing. */
export function toQuery(question: Question): Query | undefined {
  switch (question.kind) {
    case 'hole':
      return undefined;
    case 'anchor':
      return question.entity === undefined ? undefined : { op: 'entity', entity: question.entity };
    case 'hop': {
      const relation = relationOf(question);
      const from = toQuery(question.of);
      return relation === undefined || from === undefined ? undefined : { op: 'project', relation, from };
    }
    case 'not': {
      const operand = toQuery(question.of);
      return operand === undefined ? undefined : { op: 'not', operand };
    }
    default: {
      const operands = question.parts.flatMap((part) => toQuery(part) ?? []);
      if (operands.length < question.parts.length || operands.length < 2) return undefined;
      return { op: question.kind, operands };
    }
  }
}

/** The question of a query, with new keys. */
export function fromQuery(query: Query, keys: () => string = createKeys()): Question {
  const key = keys();
  switch (query.op) {
    case 'entity':
      return { kind: 'anchor', key, entity: query.entity };
    case 'project':
      return { kind: 'hop', key, ...directionOf(query.relation), of: fromQuery(query.from, keys) };
    case 'not':
      return { kind: 'not', key, of: fromQuery(query.operand, keys) };
    default:
      return { kind: query.op, key, parts: query.operands.map((operand) => fromQuery(operand, keys)) };
  }
}

/** The relation that a hop follows, in its direction. */
export function relationOf({ relation, inverse }: Pick<Hop, 'relation' | 'inverse'>): RelationId | undefined {
  return relation === undefined || !inverse ? relation : inverseOf(relation);
}

/** A relation as hops have it: the relation of the data and a direction. */
export function directionOf(relation: RelationId): {
  readonly relation: RelationId;
  readonly inverse: boolean;
} {
  const inverse = relation % 2 === 1;
  return { relation: asRelationId(inverse ? relation - 1 : relation), inverse };
}
