import type { FactProvenance } from '@fuzzqe/engine';
import type { FactBatch, FactChange } from '@fuzzqe/facts';

/** A fact by one value, as `factIds` gives it. */
export type FactId = number | string;

/** Where the facts of a store come from: what their last changes say. */
export interface ProvenanceIndex {
  /** Takes a change of a fact: the last one counts. */
  take(id: FactId, change: FactChange, batch: Pick<FactBatch, 'at' | 'by'>): void;
  /** Undefined of a fact that the store did not add, or of which it says nothing but that it is there. */
  of(id: FactId): FactProvenance | undefined;
  /** The facts whose last change is an addition from a source. */
  from(source: string): Iterable<FactId>;
}

/**
 * An index of provenances, by fact.
 *
 * Facts of one batch that say the same share one object, and only facts with a source, a date, a writer or a confidence have one.
 */
export function createProvenanceIndex(): ProvenanceIndex {
  const known = new Map<FactId, FactProvenance>();
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
    take(id, change, batch) {
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
    of: (id) => known.get(id),
    *from(source) {
      for (const [id, provenance] of known) if (provenance.source === source) yield id;
    },
  };
}

function belowOne(confidence: number | undefined): number | undefined {
  return confidence === 1 ? undefined : confidence;
}
