import { FuzzError } from '@fuzzqe/core';
import type { DelimitedRecord } from '../files/delimited.ts';
import { createIntList } from './int-list.ts';
import type { TripleNames } from './triple-names.ts';

/** What a file holds beside facts between entities. */
export interface LeftOut {
  /** RDF triples left out because their object is a literal. */
  readonly literals: number;
  /** RDF triples left out because their subject or object is a blank node. */
  readonly blankNodes: number;
  /** RDF triples in a named graph, whose name is not kept. */
  readonly namedGraphs: number;
  /** Lines of comments. */
  readonly comments: number;
}

/** Of a file of nothing but facts. */
export const nothingLeftOut: LeftOut = { literals: 0, blankNodes: 0, namedGraphs: 0, comments: 0 };

/** What stands in a file of triples. */
export interface TripleFile {
  /** Flat h, r, t, in the order of the lines, with odd r where a fact is stated along an inverse. */
  readonly triples: Int32Array;
  /** How many facts there were, those left out included. */
  readonly facts: number;
  /** How many were left out because they name what is not known. */
  readonly dropped: number;
  readonly leftOut: LeftOut;
}

/** What to do with facts that name what is not known. */
export type UnknownNames = 'refuse' | 'drop';

/** Gathers the facts of a file. */
export interface TripleSink {
  /** Adds the fact whose head, relation and tail stand in those fields of the record. */
  add(record: DelimitedRecord, head: number, relation: number, tail: number): void;
  /** @throws FuzzError `data`: names that are not known, with their number and `path:line`; no facts. */
  finish(leftOut: LeftOut): TripleFile;
}

/** An empty sink for the facts of that file. */
export function createTripleSink(path: string, names: TripleNames, unknown: UnknownNames): TripleSink {
  const triples = createIntList();
  let facts = 0;
  let dropped = 0;
  let firstUnknown: { readonly what: string; readonly line: number } | undefined;

  return {
    add(record, head, relation, tail) {
      facts++;
      const { bytes } = record;
      const h = names.entity(bytes, record.start(head), record.end(head));
      const r = names.relation(bytes, record.start(relation), record.end(relation));
      const t = names.entity(bytes, record.start(tail), record.end(tail));
      if (h >= 0 && r >= 0 && t >= 0) {
        triples.push(h);
        triples.push(r);
        triples.push(t);
        return;
      }
      dropped++;
      const [kind, field] = r < 0 ? ['relation', relation] : ['entity', h < 0 ? head : tail];
      firstUnknown ??= {
        what: `${kind}: expected one that is known, got ${JSON.stringify(record.text(field))}`,
        line: record.line,
      };
    },
    finish(leftOut) {
      if (firstUnknown !== undefined && unknown === 'refuse') {
        const more = dropped === 1 ? '' : ` (the first of ${dropped} lines with a name that is not known)`;
        throw new FuzzError('data', `${firstUnknown.what}${more}`, {
          path: `${path}:${firstUnknown.line}`,
          hint: names.hint,
        });
      }
      if (triples.length === 0) {
        throw new FuzzError('data', 'triples: expected at least one, got none', {
          path,
          hint:
            dropped > 0
              ? 'All name what no training fact names. Do both files come from one graph?'
              : leftOut.blankNodes > 0
                ? 'All have a blank node, and those are left out.'
                : 'A line is: head TAB relation TAB tail.',
        });
      }
      return { triples: triples.values(), facts, dropped, leftOut };
    },
  };
}
