import { FuzzError, type FuzzErrorCode, inverseSuffix, type Vocabulary } from '@fuzzqe/core';
import { type FactChange, factText } from '@fuzzqe/facts';

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
