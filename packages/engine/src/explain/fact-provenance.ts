/** Where a recorded fact comes from. */
export interface FactProvenance {
  readonly source?: string;
  /** When the source says so. */
  readonly date?: string;
  /** Who wrote it: the name of a key. */
  readonly by?: string;
  /** When it was written: ISO 8601. */
  readonly at?: string;
  /** How sure the source is, in (0, 1): the degree of the fact. Default: 1. */
  readonly confidence?: number;
  /** The degree in [0, 1] that the link had before somebody accepted it as a fact. */
  readonly said?: number;
}

/** The provenance of a recorded fact by its ids, either way round; undefined where nothing is known of it. */
export type ProvenanceOf = (head: number, relation: number, tail: number) => FactProvenance | undefined;

/** A text of a caller in one line, cut where it is long. */
function oneLine(text: string): string {
  const line = text.replace(/[\s\p{Cc}]+/gu, ' ').trim();
  return line.length > longest ? `${line.slice(0, longest)}…` : line;
}

const longest = 200;

/** A provenance in words, in one line: `atlas, 2026-11-01, by ann, confidence 0.8`. */
export function provenanceText({ source, date, by, at, confidence }: FactProvenance): string {
  return [
    source,
    // Of a time, the day is enough.
    (date ?? at)?.replace(/^(\d{4}-\d\d-\d\d)T.*/s, '$1'),
    by === undefined ? undefined : `by ${by}`,
    confidence === undefined ? undefined : `confidence ${confidence}`,
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
