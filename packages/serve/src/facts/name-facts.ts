import { FuzzError, type FuzzErrorCode, inverseSuffix, keyBehind, type Vocabulary } from '@fuzzqe/core';
import { type FactChange, factText, type NewKeys } from '@fuzzqe/facts';

/** A change of a fact by the names of a request, and where the change stands there. */
export interface NamedChange extends FactChange {
  /** As `line 3` or `$.add[2]`. */
  readonly place: string;
}

/** What is wrong with a change. */
export interface BadChange {
  readonly place: string;
  readonly message: string;
}

/** How many bad changes an error names. */
const mostNamed = 10;

/** The error of changes that are refused together: the first ten, then a count. */
export function badChanges(code: FuzzErrorCode, bad: readonly BadChange[], hint: string): FuzzError {
  const [first] = bad;
  if (bad.length === 1 && first !== undefined)
    return new FuzzError(code, `fact: ${first.message}`, { path: first.place, hint });
  const named = bad.slice(0, mostNamed).map(({ place, message }) => `\n  ${place}: ${message.slice(0, 150)}`);
  const more = bad.length > mostNamed ? `\n  and ${bad.length - mostNamed} more` : '';
  return new FuzzError(
    code,
    `facts: got ${bad.length} bad changes, so nothing is written:${named.join('')}${more}`,
    {
      hint,
    },
  );
}

/**
 * Changes by the keys of a graph, from names as queries have them: keys, labels, `<key>`, `prefix:rest`, `#id` of entities. A relation
 * `r^-1` turns the fact round. Of several changes of a fact, only the last is left.
 *
 * @throws FuzzError `vocabulary`: names that the graph lacks, each with its place.
 */
export function nameFacts(vocabulary: Vocabulary, changes: readonly NamedChange[]): FactChange[] {
  const bad: BadChange[] = [];
  const hints = new Set<string>();
  const last = new Map<string, FactChange>();
  for (const { place, ...change } of changes) {
    try {
      const keys = keysOf(vocabulary, change);
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
 * As `nameFacts`, where a name of an added fact that the graph lacks becomes a new key: what `<key>` or `prefix:rest` stands for, else the name.
 *
 * @throws FuzzError `vocabulary`: a label that several share, an id that there is not, or a name that the graph lacks in a removal.
 */
export function nameNewFacts(given: Vocabulary, changes: readonly NamedChange[]): NewFacts {
  const vocabulary = given.withoutNearNames;
  const creates = { entities: new Set<string>(), relations: new Set<string>() };
  const keyed = (kind: 'entity' | 'relation', name: string, find: (name: string) => number): string => {
    try {
      find(name);
      return name;
    } catch (error) {
      if (!(error instanceof FuzzError) || /^#\d+$/.test(name) || isCalled(given, kind, name)) throw error;
      const key = keyBehind(name, given.prefixes) ?? name;
      creates[kind === 'entity' ? 'entities' : 'relations'].add(key);
      return key;
    }
  };
  const isNew = ({ head, relation, tail }: FactChange): boolean =>
    creates.entities.has(head) || creates.entities.has(tail) || creates.relations.has(relation);
  const bad: BadChange[] = [];
  const found: FactChange[] = [];
  const old: NamedChange[] = [];
  for (const change of changes) {
    if (change.does === 'remove') {
      old.push(change);
      continue;
    }
    try {
      const { place: _, ...fact } = change;
      const isTurned = fact.relation.endsWith(inverseSuffix);
      const relation = isTurned ? fact.relation.slice(0, -inverseSuffix.length) : fact.relation;
      const along = keyed('relation', relation, vocabulary.findRelation);
      const [head, tail] = [fact.head, fact.tail].map((name) =>
        keyed('entity', name, (each) => vocabulary.findEntity(each)),
      ) as [string, string];
      const facts = { ...fact, relation: along, ...(isTurned ? { head: tail, tail: head } : { head, tail }) };
      if (isNew(facts)) found.push(withKnownKeys(vocabulary, facts, creates));
      else old.push(change);
    } catch (error) {
      if (!(error instanceof FuzzError)) throw error;
      bad.push({ place: change.place, message: error.message });
    }
  }
  if (bad.length > 0)
    throw badChanges('vocabulary', bad, 'Write the key of a name that several have, as <key>.');
  return {
    facts: [...nameFacts(vocabulary, old), ...found],
    creates: { entities: [...creates.entities], relations: [...creates.relations] },
  };
}

/** Whether names of the graph are so called, so that the name is no new one. */
function isCalled(vocabulary: Vocabulary, kind: 'entity' | 'relation', name: string): boolean {
  const search = kind === 'entity' ? vocabulary.searchEntities : vocabulary.searchRelations;
  const { results } = search(name, { limit: 2, misspelt: false });
  return results.some(({ key, label }) => key === name || label.toLowerCase() === name.toLowerCase());
}

/** The fact by keys, where some of its names are new. */
function withKnownKeys(
  vocabulary: Vocabulary,
  { head, relation, tail, ...change }: FactChange,
  creates: { readonly entities: ReadonlySet<string>; readonly relations: ReadonlySet<string> },
): FactChange {
  const entity = (name: string): string => (creates.entities.has(name) ? name : entityKey(vocabulary, name));
  const along = creates.relations.has(relation)
    ? relation
    : vocabulary.relation(vocabulary.findRelation(relation)).key;
  return { ...change, head: entity(head), relation: along, tail: entity(tail) };
}

function keysOf(
  vocabulary: Vocabulary,
  { head, relation, tail }: FactChange,
): Pick<FactChange, 'head' | 'relation' | 'tail'> {
  const isTurned = relation.endsWith(inverseSuffix) && !vocabulary.hasRelation(relation);
  const name = isTurned ? relation.slice(0, -inverseSuffix.length) : relation;
  const { key } = vocabulary.relation(vocabulary.findRelation(name));
  const [from, to] = [entityKey(vocabulary, head), entityKey(vocabulary, tail)];
  return isTurned ? { head: to, relation: key, tail: from } : { head: from, relation: key, tail: to };
}

function entityKey(vocabulary: Vocabulary, name: string): string {
  const digits = /^#(\d{1,15})$/.exec(name)?.[1];
  return vocabulary.entity(digits === undefined ? vocabulary.findEntity(name) : Number(digits)).key;
}
