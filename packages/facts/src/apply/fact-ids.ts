import { type FactChanges, FuzzError, type KnowledgeGraph, type Vocabulary } from '@fuzzqe/core';
import type { Engine } from '@fuzzqe/engine';
import { momentsOf } from '@fuzzqe/names';
import type { FactBatch, FactChange, FactKeys, NewKeys } from '../store/fact-store.ts';
import type { FactOfIds, ProvenanceIndex } from './provenance-index.ts';

/** What of a batch is taken. */
export type TakenBatch = Pick<FactBatch, 'at' | 'by' | 'changes'>;

/** Net changes of a graph by ids, gathered from batches in order. */
export interface NetIds {
  /** Takes the changes of a batch. Throws: `vocabulary`, a name that the graph lacks. */
  take(batch: TakenBatch): void;
  readonly size: number;
  /** Gives the changes away, and begins anew. */
  end(): FactChanges;
}

/** Gathers changes for an engine; `provenance` takes what they say at once. */
export function createNetIds(
  { facts, vocabulary }: Pick<Engine, 'vocabulary' | 'facts'>,
  provenance: Pick<ProvenanceIndex, 'take'>,
): NetIds {
  const { idOf, factOf } = factIds(facts);
  const relations = new Map<string, number>();
  const names = vocabulary.withoutNearNames;
  const relationOf = (key: string): number => {
    const known = relations.get(key);
    if (known !== undefined) return known;
    const found = relationOfKey(names, key);
    relations.set(key, found);
    return found;
  };
  /** What is said of each fact last: its confidence, 0 of a rejected link, or nothing. */
  let net = new Map<number | string, number | undefined>();
  /** When those facts hold that have bounds. */
  let bounds = new Map<number | string, readonly [begin: number, end: number]>();
  const note = (fact: FactOfIds, change: FactChange, batch: TakenBatch): void => {
    const id = idOf(...fact);
    net.set(id, saidBy(change));
    if (change.does === 'add' && (change.from ?? change.until) !== undefined)
      bounds.set(id, momentsOf(change));
    else bounds.delete(id);
    provenance.take(fact, change, batch);
  };
  return {
    get size() {
      return net.size;
    },
    take(batch) {
      for (const change of batch.changes) {
        const { head, relation, tail } = change;
        note([entityOfKey(names, head), relationOf(relation), entityOfKey(names, tail)], change, batch);
      }
    },
    end() {
      const [all, holds] = [net, bounds];
      net = new Map();
      bounds = new Map();
      let [adds, rejects] = [0, 0];
      let isSure = true;
      for (const said of all.values()) {
        if (said === 0) rejects++;
        else if (said !== undefined) adds++;
        if (said !== undefined && said > 0 && said < 1) isSure = false;
      }
      const added = new Int32Array(3 * adds);
      const removed = new Int32Array(3 * (all.size - adds - rejects));
      const rejected = new Int32Array(3 * rejects);
      const confidences = isSure ? undefined : new Float64Array(adds);
      const validities = holds.size === 0 ? undefined : new Float64Array(2 * adds);
      let [a, r, n] = [0, 0, 0];
      for (const [id, said] of all) {
        if (confidences !== undefined && said) confidences[a] = said;
        if (validities !== undefined && said) validities.set(holds.get(id) ?? always, 2 * a);
        if (said === undefined) removed.set(factOf(id), 3 * r++);
        else if (said === 0) rejected.set(factOf(id), 3 * n++);
        else added.set(factOf(id), 3 * a++);
      }
      return {
        added,
        removed,
        ...(rejects === 0 ? {} : { rejected }),
        ...(confidences === undefined ? {} : { confidences }),
        ...(validities === undefined ? {} : { validities }),
      };
    },
  };
}

const always = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY] as const;

/** What a change says of its link. */
function saidBy({ does, confidence = 1 }: FactChange): number | undefined {
  if (does === 'remove') return undefined;
  return does === 'reject' ? 0 : confidence;
}

/** One value for each fact along a relation forwards, and back: a number if facts of this many entities and relations have exact ones. */
export function factIds({
  entityCount,
  relationCount,
}: Pick<KnowledgeGraph, 'entityCount' | 'relationCount'>): {
  readonly idOf: (head: number, relation: number, tail: number) => number | string;
  readonly factOf: (id: number | string) => FactOfIds;
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
    factOf(id) {
      const [head = 0, relation = 0, tail = 0] = `${id}`.split(' ').map(Number);
      return [head, relation, tail];
    },
  };
}

/** The id of the entity with a key. Throws: `vocabulary`. */
export function entityOfKey(names: Vocabulary, key: string): number {
  return ofKey('entity', key, names.findEntity, (id) => names.entity(id).key);
}

/** The id of the relation with a key. Throws: `vocabulary`. */
export function relationOfKey(names: Vocabulary, key: string): number {
  return ofKey('relation', key, names.findRelation, (id) => names.relation(id).key);
}

/** Whether an entity or a relation forwards has a key. */
export function hasKey(names: Vocabulary, kind: keyof NewKeys, key: string): boolean {
  try {
    if (kind === 'entities') entityOfKey(names, key);
    else relationOfKey(names, key);
    return true;
  } catch {
    return false;
  }
}

/** The ids of a fact by its keys. Throws: `vocabulary`. */
export function keyIds(
  { withoutNearNames: names }: Vocabulary,
  { head, relation, tail }: FactKeys,
): FactOfIds {
  return [entityOfKey(names, head), relationOfKey(names, relation), entityOfKey(names, tail)];
}

/** The keys of a fact by its ids. */
export function keysOfIds(vocabulary: Vocabulary, [head, relation, tail]: FactOfIds): FactKeys {
  const entity = (id: number): string => vocabulary.entity(id).key;
  return { head: entity(head), relation: vocabulary.relation(relation).key, tail: entity(tail) };
}

/** The id of a key; a label does not count. */
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
