import { FuzzError, inverseSuffix, type NameKind, newKeyOf, type Vocabulary } from '@fuzzqe/core';
import type { FactChange, FactKeys, NewKeys } from '../store/fact-store.ts';
import { factText } from '../store/net-changes.ts';
import { type BadChange, badChanges } from './bad-changes.ts';

/** A change of a fact by the names of a request, and where the change stands there. */
export interface NamedChange extends FactChange {
  /** As `line 3` or `$.add[2]`. */
  readonly place: string;
}

/** The key that a name stands for which the graph lacks. Throws: `vocabulary`, the error of the name. */
type KeyOfMissing = (kind: NameKind, name: string, error: FuzzError) => string;

const refuse: KeyOfMissing = (_kind, _name, error) => {
  throw error;
};

/**
 * Changes by the keys of a graph, from names as queries have them: keys, labels, `<key>`, `prefix:rest`, `#id` of entities. A relation
 * `r^-1` turns the fact round. Of several changes of a fact, only the last is left.
 *
 * @param keyOfMissing gives the keys of names that added facts have and the graph lacks; by default they are refused.
 * @throws FuzzError `vocabulary`: names that the graph lacks, each with its place.
 */
export function nameFacts(
  vocabulary: Vocabulary,
  changes: readonly NamedChange[],
  keyOfMissing: KeyOfMissing = refuse,
): FactChange[] {
  const bad: BadChange[] = [];
  const hints = new Set<string>();
  const last = new Map<string, FactChange>();
  for (const { place, ...change } of changes) {
    try {
      const keys = keysOf(vocabulary, change, change.does === 'add' ? keyOfMissing : refuse);
      const fact = factText(keys);
      // A key that is set again keeps its place otherwise.
      last.delete(fact);
      last.set(fact, { ...change, ...keys });
    } catch (error) {
      if (!(error instanceof FuzzError)) throw error;
      bad.push({ place, message: error.message });
      if (error.hint !== undefined) hints.add(error.hint);
    }
  }
  if (bad.length > 0)
    throw badChanges(
      'vocabulary',
      bad,
      [...hints].slice(0, 3).join(' ') || 'Facts are of entities and relations that the graph has.',
    );
  return [...last.values()];
}

/** Changes by keys, and the keys that the graph lacks. */
export interface NewFacts {
  readonly facts: readonly FactChange[];
  readonly creates: NewKeys;
}

/**
 * As `nameFacts`, but a name of an added fact that the graph lacks becomes a new key: the key behind `<key>` or `prefix:rest`, or the name.
 *
 * @throws FuzzError `vocabulary`: a label that several share, an id that no entity has, or a name that the graph lacks in a removal.
 */
export function nameNewFacts(vocabulary: Vocabulary, changes: readonly NamedChange[]): NewFacts {
  const creates = { entity: new Set<string>(), relation: new Set<string>() };
  const facts = nameFacts(vocabulary.withoutNearNames, changes, (kind, name, error) => {
    const key = newKeyOf(vocabulary, kind, name);
    if (key === undefined) throw error;
    creates[kind].add(key);
    return key;
  });
  return { facts, creates: { entities: [...creates.entity], relations: [...creates.relation] } };
}

function keysOf(
  vocabulary: Vocabulary,
  { head, relation, tail }: FactChange,
  keyOfMissing: KeyOfMissing,
): FactKeys {
  const keyOf = (kind: NameKind, name: string, find: () => string): string => {
    try {
      return find();
    } catch (error) {
      if (!(error instanceof FuzzError)) throw error;
      return keyOfMissing(kind, name, error);
    }
  };
  const entity = (name: string): string => keyOf('entity', name, () => entityKey(vocabulary, name));
  const isTurned = relation.endsWith(inverseSuffix) && !vocabulary.hasRelation(relation);
  const name = isTurned ? relation.slice(0, -inverseSuffix.length) : relation;
  const key = keyOf('relation', name, () => vocabulary.relation(vocabulary.findRelation(name)).key);
  const [from, to] = [entity(head), entity(tail)];
  return isTurned ? { head: to, relation: key, tail: from } : { head: from, relation: key, tail: to };
}

/** The key of the entity that a name or an `#id` stands for. Throws: `vocabulary`, or `range` for an id. */
export function entityKey(vocabulary: Vocabulary, name: string): string {
  const digits = /^#(\d{1,15})$/.exec(name)?.[1];
  return vocabulary.entity(digits === undefined ? vocabulary.findEntity(name) : Number(digits)).key;
}
