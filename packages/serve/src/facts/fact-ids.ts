import { type FactChanges, FuzzError, type KnowledgeGraph } from '@fuzzqe/core';
import type { Engine } from '@fuzzqe/engine';
import type { FactChange } from '@fuzzqe/facts';

/** Net changes of a graph by ids, gathered from batches in order. */
export interface NetIds {
  /** Takes the changes of a batch. Throws: `vocabulary`, a name that the graph lacks. */
  take(changes: Iterable<FactChange>): void;
  readonly size: number;
  /** Gives the changes away, and begins anew. */
  end(): FactChanges;
}

/** Gathers changes for an engine. */
export function createNetIds({ facts, vocabulary }: Pick<Engine, 'vocabulary' | 'facts'>): NetIds {
  const { idOf, factOf } = factIds(facts);
  const names = vocabulary.withoutNearNames;
  const relations = new Map<string, number>();
  const relationOf = (key: string): number => {
    const known = relations.get(key);
    if (known !== undefined) return known;
    const found = ofKey('relation', key, names.findRelation, (id) => names.relation(id).key);
    relations.set(key, found);
    return found;
  };
  const entityOf = (key: string): number =>
    ofKey('entity', key, names.findEntity, (id) => names.entity(id).key);
  /** Whether each fact is added, else removed. */
  let net = new Map<number | string, boolean>();
  return {
    get size() {
      return net.size;
    },
    take(changes) {
      for (const { does, head, relation, tail } of changes)
        net.set(idOf(entityOf(head), relationOf(relation), entityOf(tail)), does === 'add');
    },
    end() {
      const all = net;
      net = new Map();
      let count = 0;
      for (const isAdded of all.values()) if (isAdded) count++;
      const added = new Int32Array(3 * count);
      const removed = new Int32Array(3 * (all.size - count));
      let [a, r] = [0, 0];
      for (const [id, isAdded] of all) {
        if (isAdded) added.set(factOf(id), 3 * a++);
        else removed.set(factOf(id), 3 * r++);
      }
      return { added, removed };
    },
  };
}

/** One value for each fact, and back: a number if facts of this many entities and relations have exact ones. */
function factIds({ entityCount, relationCount }: KnowledgeGraph): {
  readonly idOf: (head: number, relation: number, tail: number) => number | string;
  readonly factOf: (id: number | string) => readonly number[];
} {
  if (entityCount ** 2 * relationCount <= Number.MAX_SAFE_INTEGER)
    return {
      idOf: (head, relation, tail) => (head * relationCount + relation) * entityCount + tail,
      factOf(id) {
        const pair = Math.floor(Number(id) / entityCount);
        return [Math.floor(pair / relationCount), pair % relationCount, Number(id) % entityCount];
      },
    };
  return {
    idOf: (head, relation, tail) => `${head} ${relation} ${tail}`,
    factOf: (id) => `${id}`.split(' ').map(Number),
  };
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
