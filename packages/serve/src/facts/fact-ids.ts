import { FuzzError, type KnowledgeGraph, type Vocabulary } from '@fuzzqe/core';
import type { Engine } from '@fuzzqe/engine';
import type { FactChange } from '@fuzzqe/facts';

/** What a batch came to. */
export interface FactCounts {
  /** Facts that the graph did not have. */
  readonly added: number;
  /** Facts that the graph had. */
  readonly removed: number;
  /** Changes that leave the graph as it was. */
  readonly unchanged: number;
}

/** Net changes of a graph by ids, gathered from batches in order. */
export interface NetIds {
  /** Takes the changes of a batch. Throws: `vocabulary`, a name that the graph lacks. */
  take(changes: Iterable<FactChange>): FactCounts;
  readonly size: number;
  /** Makes the changes, and forgets them. */
  apply(): Promise<void>;
}

/** Gathers changes for an engine; nothing changes before `apply`. */
export function createNetIds(engine: Pick<Engine, 'vocabulary' | 'facts' | 'changeFacts'>): NetIds {
  const { facts, vocabulary } = engine;
  const idOf = numberOfFact(facts);
  const names = vocabulary.withoutNearNames;
  let net = new Map<number | string, { readonly fact: readonly number[]; readonly isAdded: boolean }>();
  return {
    get size() {
      return net.size;
    },
    take(changes) {
      let [added, removed, unchanged] = [0, 0, 0];
      for (const { does, ...keys } of changes) {
        const [head, relation, tail] = idsOf(names, keys);
        const id = idOf(head, relation, tail);
        const isThere = net.get(id)?.isAdded ?? engine.facts.has(head, relation, tail);
        const isAdded = does === 'add';
        if (isThere === isAdded) unchanged++;
        else if (isAdded) added++;
        else removed++;
        net.set(id, { fact: [head, relation, tail], isAdded });
      }
      return { added, removed, unchanged };
    },
    async apply() {
      const all = [...net.values()];
      net = new Map();
      const flat = (wanted: boolean): Int32Array =>
        Int32Array.from(all.filter(({ isAdded }) => isAdded === wanted).flatMap(({ fact }) => fact));
      await engine.changeFacts({ added: flat(true), removed: flat(false) });
    },
  };
}

/** One value for each fact: a number if facts of this many entities and relations have exact ones. */
function numberOfFact({
  entityCount,
  relationCount,
}: KnowledgeGraph): (head: number, relation: number, tail: number) => number | string {
  return entityCount ** 2 * relationCount <= Number.MAX_SAFE_INTEGER
    ? (head, relation, tail) => (head * relationCount + relation) * entityCount + tail
    : (head, relation, tail) => `${head} ${relation} ${tail}`;
}

function idsOf(
  names: Vocabulary,
  { head, relation, tail }: Pick<FactChange, 'head' | 'relation' | 'tail'>,
): readonly [number, number, number] {
  return [
    ofKey('entity', head, names.findEntity, (id) => names.entity(id).key),
    ofKey('relation', relation, names.findRelation, (id) => names.relation(id).key),
    ofKey('entity', tail, names.findEntity, (id) => names.entity(id).key),
  ];
}

/** The id of a key; a label of that text is none. */
function ofKey<Id extends number>(
  kind: string,
  key: string,
  find: (name: string) => Id,
  keyOf: (id: Id) => string,
): Id {
  // The key is what stands between brackets.
  const id = find(key.startsWith('<') ? `<${key}>` : key);
  if (keyOf(id) === key) return id;
  throw new FuzzError('vocabulary', `${kind}: expected a key of the graph, got ${JSON.stringify(key)}`);
}
