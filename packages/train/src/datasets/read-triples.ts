import { FuzzError } from '@fuzzqe/core';
import { forEachLine } from './lines.ts';
import type { TripleNames } from './triple-names.ts';

/** What stands in a file of triples. */
export interface TripleFile {
  /** Flat h, r, t, with even r: a fact stated along an inverse is turned round. In the order of the lines. */
  readonly triples: Int32Array;
  readonly lines: number;
  /** How many lines were left out because they name what is not known. */
  readonly dropped: number;
}

/** What to do with lines that name what is not known. */
export type UnknownNames = 'refuse' | 'drop';

interface UnknownName {
  readonly kind: 'entity' | 'relation';
  readonly name: string;
  readonly line: number;
}

/**
 * Reads triples, a line a fact: `head TAB relation TAB tail`; `.gz` is unzipped.
 *
 * Empty lines are passed over. The same fact may come several times.
 *
 * @throws FuzzError `data` with `path:line`: not three columns, or an empty one; names that are not known, with their
 *   number; a file without triples; what `forEachLine` throws.
 */
export async function readTriples(
  path: string,
  names: TripleNames,
  unknown: UnknownNames = 'refuse',
): Promise<TripleFile> {
  const triples: number[] = [];
  let lines = 0;
  let dropped = 0;
  let firstUnknown: UnknownName | undefined;

  await forEachLine(path, (line, number) => {
    if (line === '') return;
    lines++;
    const [head, relation, tail] = columnsOf(line, `${path}:${number}`);
    const h = names.entity(head);
    const r = names.relation(relation);
    const t = names.entity(tail);
    if (h === undefined || r === undefined || t === undefined) {
      dropped++;
      firstUnknown ??=
        r === undefined
          ? { kind: 'relation', name: relation, line: number }
          : { kind: 'entity', name: h === undefined ? head : tail, line: number };
      return;
    }
    if (r % 2 === 0) triples.push(h, r, t);
    else triples.push(t, r - 1, h);
  });

  if (firstUnknown !== undefined && unknown === 'refuse') {
    const { kind, name, line } = firstUnknown;
    const more = dropped === 1 ? '' : ` (the first of ${dropped} lines with a name that is not known)`;
    throw new FuzzError('data', `${kind}: expected one that is known, got ${JSON.stringify(name)}${more}`, {
      path: `${path}:${line}`,
      hint: names.hint,
    });
  }
  if (triples.length === 0) {
    throw new FuzzError('data', 'triples: expected at least one, got none', {
      path,
      hint: 'A line is: head TAB relation TAB tail.',
    });
  }
  return { triples: Int32Array.from(triples), lines, dropped };
}

function columnsOf(line: string, path: string): readonly [string, string, string] {
  const [head, relation, tail, ...rest] = line.split('\t');
  if (head && relation && tail && rest.length === 0) return [head, relation, tail];
  const columns = line.split('\t');
  const got = columns.length === 3 ? 'an empty one' : String(columns.length);
  throw new FuzzError('data', `triple: expected three columns between tabs, got ${got}`, {
    path,
    hint:
      columns.length === 1
        ? 'Separate the columns by tabs, not by spaces or commas.'
        : 'head TAB relation TAB tail',
  });
}
