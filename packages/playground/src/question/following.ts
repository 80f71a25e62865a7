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

/** The relations that may follow a part. */
export interface RelationChoices {
  /** Those that recorded facts lead on by, counted; where that is not known, all, uncounted. */
  readonly leading: readonly RelationChoice[];
  /** The others, in the order of the graph: the model may predict what is not recorded. */
  readonly others: readonly RelationChoice[];
}

/**
 * Every relation in both directions, those apart that recorded facts lead on by.
 *
 * @param next what `POST /v1/query/relations` answers; nothing while a part is incomplete, or where no facts are known.
 */
export function relationChoices(
  relations: readonly NamedRelation[],
  next?: Pick<NextRelations, 'results'>,
): RelationChoices {
  const leading = (next?.results ?? []).map(({ relation: { id, inverse }, answers, facts }) => ({
    relation: id,
    inverse,
    ...namesOf(relations, id),
    answers,
    facts,
  }));
  const known = new Set(leading.map(({ relation }) => relation));
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
  return next === undefined ? { leading: others, others: [] } : { leading, others };
}

/** What a list of relations shows. */
export interface ListedChoices {
  readonly listed: readonly RelationChoice[];
  /** How many others are left out until they are asked for. */
  readonly hidden: number;
  /** How many do not fit in. */
  readonly more: number;
}

/**
 * The choices to list: what a typed text fits among all of them; without one those that lead on, and the others once they are asked for.
 *
 * @param most how many of each are listed.
 */
export function listedChoices(
  { leading, others }: RelationChoices,
  { text, withOthers, most }: { readonly text: string; readonly withOthers: boolean; readonly most: number },
): ListedChoices {
  const isTyped = wordsOf(text).length > 0;
  const groups = isTyped
    ? [matchingChoices([...leading, ...others], text)]
    : withOthers
      ? [leading, others]
      : [leading];
  const listed = groups.flatMap((group) => group.slice(0, most));
  return {
    listed,
    hidden: isTyped || withOthers ? 0 : others.length,
    more: groups.flat().length - listed.length,
  };
}

/** The choices that a typed text fits: every word of it begins a word of the label or the key. */
function matchingChoices(choices: readonly RelationChoice[], text: string): readonly RelationChoice[] {
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
