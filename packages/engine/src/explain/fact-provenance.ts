import { confidenceOf, hasValidity, type KnowledgeGraph } from '@fuzzqe/core';
import { type Provenances, type StatedProvenance, statedOf } from '@fuzzqe/names';

/** Where a recorded fact comes from. */
export interface FactProvenance extends StatedProvenance {
  /** Who wrote it: the name of a key. */
  readonly by?: string;
  /** When it was written: ISO 8601. */
  readonly at?: string;
  /** The degree in [0, 1] that the link had before somebody accepted it as a fact. */
  readonly said?: number;
}

/** The provenance of a recorded fact by its ids, either way round; undefined where nothing is known of it. */
export type ProvenanceOf = (head: number, relation: number, tail: number) => FactProvenance | undefined;

/** What the data of a graph say of a recorded fact; a change may have replaced its confidence and its validity. */
export function importedProvenance(
  provenances: Provenances | undefined,
  { confidences, validity, has }: KnowledgeGraph,
  ...fact: readonly [head: number, relation: number, tail: number]
): FactProvenance | undefined {
  const stated = provenances && statedOf(provenances, ...fact);
  if (stated === undefined || !has(...fact)) return undefined;
  const { confidence, from, until, ...source } = stated;
  const isUnsure = confidence !== undefined && confidenceOf(confidences, ...fact) < 1;
  const isBounded = hasValidity(validity, ...fact);
  const left = {
    ...source,
    ...(isUnsure ? { confidence } : {}),
    ...(isBounded && from !== undefined ? { from } : {}),
    ...(isBounded && until !== undefined ? { until } : {}),
  };
  return Object.keys(left).length === 0 ? undefined : left;
}

/** A text of a caller in one line, cut where it is long. */
function oneLine(text: string): string {
  const line = text.replace(/[\s\p{Cc}]+/gu, ' ').trim();
  return line.length > longest ? `${line.slice(0, longest)}…` : line;
}

const longest = 200;

/** A provenance in words, in one line: `atlas, 2026-11-01, by ann, confidence 0.8`. */
export function provenanceText({ source, date, by, at, confidence, from, until }: FactProvenance): string {
  return [
    source,
    // Of a time, the day is enough.
    (date ?? at)?.replace(/^(\d{4}-\d\d-\d\d)T.*/s, '$1'),
    by === undefined ? undefined : `by ${by}`,
    confidence === undefined ? undefined : `confidence ${confidence}`,
    from === undefined ? undefined : `holds from ${from}`,
    until === undefined ? undefined : `holds until ${until}`,
  ]
    .filter((each) => each !== undefined)
    .map(oneLine)
    .join(', ');
}

/** The field of a recorded fact, where there is something to say. */
export function provenanceField(
  of: ProvenanceOf | undefined,
  head: number,
  relation: number,
  tail: number,
): { readonly provenance?: FactProvenance } {
  const provenance = of?.(head, relation, tail);
  return provenance === undefined ? {} : { provenance };
}
