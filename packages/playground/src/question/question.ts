import type { EntityId, RelationId } from '@fuzzqe/core';

/** What every part of a question has: a key of its own, which stays as the rest changes. */
interface Part {
  readonly key: string;
}

/** A known entity, or the place of one that is not chosen yet. */
export interface Anchor extends Part {
  readonly kind: 'anchor';
  readonly entity?: EntityId;
}

/** What a relation leads to from the answers of a part; the relation may not be chosen yet. */
export interface Hop extends Part {
  readonly kind: 'hop';
  /** The relation of the data, whichever direction is followed: an even id. */
  readonly relation?: RelationId;
  /** From tail to head. */
  readonly inverse: boolean;
  readonly of: Question;
}

/** What answers every part. One part while the others are to come. */
export interface And extends Part {
  readonly kind: 'and';
  readonly parts: readonly Question[];
}

/** What answers at least one part. One part while the others are to come. */
export interface Or extends Part {
  readonly kind: 'or';
  readonly parts: readonly Question[];
}

/** What does not answer the part. */
export interface Not extends Part {
  readonly kind: 'not';
  readonly of: Question;
}

/** The place of a part of whatever kind. */
export interface Hole extends Part {
  readonly kind: 'hole';
}

/** A question as it is built: a query, some of whose parts may still be missing. */
export type Question = Anchor | Hop | And | Or | Not | Hole;

/** The parts directly below one. */
export function partsOf(question: Question): readonly Question[] {
  switch (question.kind) {
    case 'hop':
    case 'not':
      return [question.of];
    case 'and':
    case 'or':
      return question.parts;
    default:
      return [];
  }
}

/** A question and all that is below it, from the root to the leaves, in their order. */
export function* everyPart(question: Question): Generator<Question> {
  yield question;
  for (const part of partsOf(question)) yield* everyPart(part);
}

/** The part of that key. */
export function findPart(question: Question, key: string): Question | undefined {
  for (const part of everyPart(question)) if (part.key === key) return part;
  return undefined;
}

/** The part directly above the one of that key; nothing for the root. */
export function parentOf(question: Question, key: string): Question | undefined {
  for (const part of everyPart(question)) if (partsOf(part).some((each) => each.key === key)) return part;
  return undefined;
}

/** Gives keys that no part of a question has: `q1`, `q2` and so on. */
export function createKeys(question?: Question): () => string {
  let last = 0;
  if (question !== undefined)
    for (const { key } of everyPart(question)) last = Math.max(last, Number(key.slice(1)));
  return () => `q${++last}`;
}

/** A question of which nothing is known yet. */
export const emptyQuestion: Question = { kind: 'hole', key: 'q1' };
