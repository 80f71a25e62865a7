import type { FactProvenance } from '@fuzzqe/engine';
import type { FactBatch, FactChange } from '../store/fact-store.ts';
import { factIds } from './fact-ids.ts';

/** A fact by its ids, along a relation forwards. */
export type FactOfIds = readonly [head: number, relation: number, tail: number];

/** What a store knows of a fact or of a rejected link. */
export interface KnownProvenance extends FactProvenance {
  /** Whether the link was rejected, so that it is no fact. */
  readonly rejected?: true;
}

/** Where the facts and the rejections of a store come from, as their last changes say. */
export interface ProvenanceIndex {
  /** Takes a change of a fact: the last one counts. */
  take(fact: FactOfIds, change: FactChange, batch: Pick<FactBatch, 'at' | 'by'>): void;
  /** Undefined if the store neither added nor rejected the fact, or knows nothing else of a fact that it added. */
  of(fact: FactOfIds): KnownProvenance | undefined;
  /** The facts and rejected links whose last change is from a source. */
  from(source: string): Iterable<FactOfIds>;
  /** The links that were judged: facts and rejected links whose degree was noted before. */
  judged(): Iterable<readonly [fact: FactOfIds, provenance: KnownProvenance]>;
}

/**
 * An index of provenances, by fact.
 *
 * Facts of one batch share one object if their provenance is equal. Facts without a source, a date, a writer, a confidence and a validity have no object.
 */
export function createProvenanceIndex(): ProvenanceIndex {
  /** The numbers of facts have room for so many entities and relations; the room doubles when the graph outgrows it. */
  let room = { entityCount: 1, relationCount: 2 };
  let ids = factIds(room);
  let known = new Map<number | string, KnownProvenance>();
  /** Those of `known` that were judged: a few of many. */
  let judged: typeof known = new Map();
  const idOf = (fact: FactOfIds): number | string => {
    const [head, relation, tail] = fact;
    let { entityCount, relationCount } = room;
    while (entityCount <= Math.max(head, tail)) entityCount *= 2;
    while (relationCount <= relation) relationCount *= 2;
    if (entityCount > room.entityCount || relationCount > room.relationCount) {
      const { factOf } = ids;
      room = { entityCount, relationCount };
      ids = factIds(room);
      const renumbered = (of: typeof known): typeof known =>
        new Map(Array.from(of, ([id, provenance]) => [ids.idOf(...factOf(id)), provenance]));
      known = renumbered(known);
      judged = renumbered(judged);
    }
    return ids.idOf(head, relation, tail);
  };
  /** One text for equal texts, so that those of a request can go. */
  const texts = new Map<string, string>();
  const kept = (text: string): string => {
    const found = texts.get(text);
    if (found === undefined) texts.set(text, text);
    return found ?? text;
  };
  let last: KnownProvenance = {};
  const isLast = (change: FactChange, { at, by }: Pick<FactBatch, 'at' | 'by'>): boolean =>
    last.at === at &&
    last.by === by &&
    last.source === change.source &&
    last.date === change.date &&
    last.confidence === belowOne(change.confidence) &&
    last.from === change.from &&
    last.until === change.until &&
    last.said === change.said &&
    (last.rejected === true) === (change.does === 'reject');
  return {
    take(fact, change, batch) {
      const id = idOf(fact);
      const { does, source, date, confidence, from, until, said } = change;
      const { at, by } = batch;
      const unsure = belowOne(confidence);
      judged.delete(id);
      const isPlain =
        does === 'add' && (source ?? date ?? by ?? unsure ?? from ?? until ?? said) === undefined;
      if (does === 'remove' || isPlain) {
        known.delete(id);
        return;
      }
      if (!isLast(change, batch))
        last = {
          ...(source === undefined ? {} : { source: kept(source) }),
          ...(date === undefined ? {} : { date: kept(date) }),
          ...(by === undefined ? {} : { by: kept(by) }),
          at,
          ...(unsure === undefined ? {} : { confidence: unsure }),
          ...(from === undefined ? {} : { from: kept(from) }),
          ...(until === undefined ? {} : { until: kept(until) }),
          ...(said === undefined ? {} : { said }),
          ...(does === 'reject' ? { rejected: true } : {}),
        };
      known.set(id, last);
      if (said !== undefined) judged.set(id, last);
    },
    of: (fact) => known.get(idOf(fact)),
    *from(source) {
      for (const [id, provenance] of known) if (provenance.source === source) yield ids.factOf(id);
    },
    *judged() {
      for (const [id, provenance] of judged) yield [ids.factOf(id), provenance];
    },
  };
}

function belowOne(confidence: number | undefined): number | undefined {
  return confidence === 1 ? undefined : confidence;
}
