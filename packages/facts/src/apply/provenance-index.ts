import type { FactProvenance } from '@fuzzqe/engine';
import type { FactBatch, FactChange } from '../store/fact-store.ts';
import { factIds } from './fact-ids.ts';

/** A fact by its ids, along a relation forwards. */
export type FactOfIds = readonly [head: number, relation: number, tail: number];

/** Where the facts of a store come from, as their last changes say. */
export interface ProvenanceIndex {
  /** Takes a change of a fact: the last one counts. */
  take(fact: FactOfIds, change: FactChange, batch: Pick<FactBatch, 'at' | 'by'>): void;
  /** Undefined if the store did not add the fact, or knows no source, date, writer or confidence of it. */
  of(fact: FactOfIds): FactProvenance | undefined;
  /** The facts whose last change is an addition from a source. */
  from(source: string): Iterable<FactOfIds>;
}

/**
 * An index of provenances, by fact.
 *
 * Facts of one batch share one object if their provenance is equal. Facts without a source, a date, a writer and a confidence have no object.
 */
export function createProvenanceIndex(): ProvenanceIndex {
  /** The numbers of facts have room for so many entities and relations; the room doubles when the graph outgrows it. */
  let room = { entityCount: 1, relationCount: 2 };
  let ids = factIds(room);
  let known = new Map<number | string, FactProvenance>();
  const idOf = (fact: FactOfIds): number | string => {
    const [head, relation, tail] = fact;
    let { entityCount, relationCount } = room;
    while (entityCount <= Math.max(head, tail)) entityCount *= 2;
    while (relationCount <= relation) relationCount *= 2;
    if (entityCount > room.entityCount || relationCount > room.relationCount) {
      const { factOf } = ids;
      room = { entityCount, relationCount };
      ids = factIds(room);
      known = new Map(Array.from(known, ([id, provenance]) => [ids.idOf(...factOf(id)), provenance]));
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
  let last: FactProvenance = {};
  const isLast = (change: FactChange, { at, by }: Pick<FactBatch, 'at' | 'by'>): boolean =>
    last.at === at &&
    last.by === by &&
    last.source === change.source &&
    last.date === change.date &&
    last.confidence === belowOne(change.confidence);
  return {
    take(fact, change, batch) {
      const id = idOf(fact);
      const { does, source, date, confidence } = change;
      const { at, by } = batch;
      const unsure = belowOne(confidence);
      if (does === 'remove' || (source ?? date ?? by ?? unsure) === undefined) {
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
        };
      known.set(id, last);
    },
    of: (fact) => known.get(idOf(fact)),
    *from(source) {
      for (const [id, provenance] of known) if (provenance.source === source) yield ids.factOf(id);
    },
  };
}

function belowOne(confidence: number | undefined): number | undefined {
  return confidence === 1 ? undefined : confidence;
}
