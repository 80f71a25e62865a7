import { asRelationId, type RelationId } from '@fuzzqe/core';
import type { NextRelations } from '@fuzzqe/engine';
import type { NamedRelation } from './names.ts';

/** A relation, in one direction, that a hop may follow. */
export interface RelationChoice {
  /** With its direction: odd for an inverse. */
  readonly relation: RelationId;
  readonly inverse: boolean;
  readonly key: string;
  readonly label: string;
  /** How many answers of the part it leaves, by the recorded facts; 0 where only the model may know more. */
  readonly answers: number;
  /** How many recorded facts lead on. */
  readonly facts: number;
}

/**
 * The relations that may follow a part, those first that recorded facts lead on by; the others behind them, in the order of the graph,
 * since the model may predict what is not recorded.
 *
 * @param next what `POST /v1/query/relations` answers; nothing while a part is incomplete or not known yet.
 */
export function relationChoices(
  relations: readonly NamedRelation[],
  next: Pick<NextRelations, 'results'> = { results: [] },
): readonly RelationChoice[] {
  const counted = next.results.map(({ relation: { id, inverse }, answers, facts }) => ({
    relation: id,
    inverse,
    ...namesOf(relations, id),
    answers,
    facts,
  }));
  const known = new Set(counted.map(({ relation }) => relation));
  const others = relations
    .flatMap(({ id }) => [id, asRelationId(id + 1)])
    .filter((relation) => !known.has(relation))
    .map((relation) => ({
      relation,
      inverse: relation % 2 === 1,
      ...namesOf(relations, relation),
      answers: 0,
      facts: 0,
    }));
  return [...counted, ...others];
}

/** The choices that a typed text fits: every word of it begins a word of the label or the key. */
export function matchingChoices(choices: readonly RelationChoice[], text: string): readonly RelationChoice[] {
  const wanted = wordsOf(text);
  return choices.filter(({ key, label }) => {
    const words = [...wordsOf(label), ...wordsOf(key)];
    return wanted.every((word) => words.some((each) => each.startsWith(word)));
  });
}

function wordsOf(text: string): readonly string[] {
  return text
    .toLocaleLowerCase('en')
    .split(/[^\p{L}\p{M}\p{N}]+/u)
    .filter((word) => word !== '');
}

function namesOf(
  relations: readonly NamedRelation[],
  relation: RelationId,
): { readonly key: string; readonly label: string } {
  const { key, label } = relations[relation >> 1]!;
  return { key, label };
}
