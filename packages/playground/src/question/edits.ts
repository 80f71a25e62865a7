import type { EntityId, RelationId } from '@fuzzqe/core';
import { type And, createKeys, findPart, type Or, parentOf, type Question } from './question.ts';
import { directionOf } from './to-query.ts';

/**
 * A question with the part of that key replaced, and what stands above it made anew.
 *
 * A question that has no such part is returned as it is: whoever edits may be looking at an older one. So do all edits.
 */
export function replacePart(question: Question, key: string, change: (part: Question) => Question): Question {
  if (question.key === key) return change(question);
  switch (question.kind) {
    case 'hop':
    case 'not': {
      const of = replacePart(question.of, key, change);
      return of === question.of ? question : { ...question, of };
    }
    case 'and':
    case 'or': {
      const parts = question.parts.map((part) => replacePart(part, key, change));
      return parts.every((part, i) => part === question.parts[i]) ? question : { ...question, parts };
    }
    default:
      return question;
  }
}

/** Puts an entity in the place of a part; without one, the place of an entity that is to be chosen. */
export function setAnchor(question: Question, key: string, entity?: EntityId): Question {
  return replacePart(question, key, (part) => ({
    kind: 'anchor',
    key: part.key,
    ...(entity === undefined ? {} : { entity }),
  }));
}

/** Follows a relation from a part, in its direction; without one, a relation that is to be chosen. */
export function addHop(question: Question, key: string, relation?: RelationId): Question {
  const newKey = createKeys(question)();
  const step = relation === undefined ? { inverse: false } : directionOf(relation);
  return replacePart(question, key, (of) => ({ kind: 'hop', key: newKey, ...step, of }));
}

/** Makes a hop follow another relation, in its direction. */
export function setRelation(question: Question, key: string, relation: RelationId): Question {
  return replacePart(question, key, (part) =>
    part.kind === 'hop' ? { ...part, ...directionOf(relation) } : part,
  );
}

/**
 * Joins a part with another, which is to be filled in: `and(part, …)`, `or(part, …)`, or `and(part, not(…))` for `not`.
 *
 * Where the part is, or is a part of, such a conjunction or disjunction, that one gets the new part.
 */
export function join(question: Question, key: string, how: 'and' | 'or' | 'not'): Question {
  const kind = how === 'or' ? 'or' : 'and';
  const part = findPart(question, key);
  if (part === undefined) return question;
  const isNegated = how === 'not';
  if (part.kind === kind) return addPart(question, key, undefined, isNegated);
  const parent = parentOf(question, key);
  if (parent?.kind === kind) return addPart(question, parent.key, key, isNegated);
  const keys = createKeys(question);
  return replacePart(question, key, () => ({ kind, key: keys(), parts: [part, openPart(keys, isNegated)] }));
}

/** Adds a part to be filled in, negated or not, to a conjunction or disjunction: behind the one of that key, else at the end. */
export function addPart(question: Question, key: string, behind?: string, isNegated = false): Question {
  const keys = createKeys(question);
  return replacePart(question, key, (part) => {
    if (!isJoin(part)) return part;
    const place = part.parts.findIndex((each) => each.key === behind);
    const at = place < 0 ? part.parts.length : place + 1;
    return { ...part, parts: part.parts.toSpliced(at, 0, openPart(keys, isNegated)) };
  });
}

/** Negates a part; a negation, and what is negated, become positive again. */
export function negate(question: Question, key: string): Question {
  const part = findPart(question, key);
  const parent = parentOf(question, key);
  if (part?.kind === 'not') return unwrap(question, key);
  if (parent?.kind === 'not') return unwrap(question, parent.key);
  const newKey = createKeys(question)();
  return replacePart(question, key, (of) => ({ kind: 'not', key: newKey, of }));
}

/** Takes a hop or a negation away and keeps what it is of; of a conjunction or disjunction it keeps the first part. */
export function unwrap(question: Question, key: string): Question {
  return replacePart(question, key, (part) => {
    if (part.kind === 'hop' || part.kind === 'not') return part.of;
    return isJoin(part) ? (part.parts[0] ?? part) : part;
  });
}

/**
 * Removes a part with all that is below it.
 *
 * A conjunction or disjunction of which one part is left becomes that part, a negation goes with what it negates, and elsewhere a
 * place to be filled in remains.
 */
export function remove(question: Question, key: string): Question {
  const parent = parentOf(question, key);
  if (parent === undefined || parent.kind === 'hop')
    return replacePart(question, key, (part) => ({ kind: 'hole', key: part.key }));
  if (parent.kind === 'not') return remove(question, parent.key);
  return replacePart(question, parent.key, (join) => {
    if (!isJoin(join)) return join;
    const parts = join.parts.filter((part) => part.key !== key);
    return parts.length === 1 ? parts[0]! : { ...join, parts };
  });
}

function isJoin(part: Question): part is And | Or {
  return part.kind === 'and' || part.kind === 'or';
}

function openPart(keys: () => string, isNegated: boolean): Question {
  const hole: Question = { kind: 'hole', key: keys() };
  return isNegated ? { kind: 'not', key: keys(), of: hole } : hole;
}
