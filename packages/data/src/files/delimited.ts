import { FuzzError } from '@fuzzqe/core';
import { raiseLimit, readLimits } from '@fuzzqe/files';
import { forEachLineBlock } from './line-blocks.ts';
import { loneReturn } from './line-ends.ts';
import { forEachParquetRecord } from './parquet-records.ts';

/** A record of a delimited file, whose fields are places in a block of bytes; valid until the next record. */
export interface DelimitedRecord {
  readonly bytes: Buffer;
  readonly line: number;
  readonly count: number;
  /** Where field i begins and ends in the bytes. */
  start(field: number): number;
  end(field: number): number;
  text(field: number): string;
}

/** How the fields of a file are told apart. */
export interface Delimiter {
  readonly character: '\t' | ',' | ';' | ' ';
  /** Whether a field may stand between double quotes, which are doubled inside it. */
  readonly quotes: boolean;
  /** What lines that are passed over begin with. */
  readonly comment?: string;
  /** Whether the file is Parquet, which has columns of its own. */
  readonly isParquet?: true;
  /** Whether the first record is one of titles, whatever it looks like. */
  readonly isTitled?: true;
}

/** Tabs, without quotes: a quotation mark is a character like any other. */
export const tabs: Delimiter = { character: '\t', quotes: false };
/** Commas, with quotes. Source: RFC 4180. */
export const commas: Delimiter = { character: ',', quotes: true };

/** The columns of Parquet, whose first record is their titles. */
export const parquetColumns: Delimiter = { character: '\t', quotes: false, isParquet: true, isTitled: true };

/** More columns than any table that people make. */
const mostColumns = 10_000;

/**
 * Reads a UTF-8 file record by record; a line is a record, save where a quoted field runs over several; `.gz` is
 * unzipped. Empty lines and comments are passed over; gives the number of comments. No object is made for a record or a
 * field. Where there is `onBad`, it is told of records that cannot be read, which are passed over.
 *
 * @throws FuzzError `data` with `path:line`: a quote that is never closed, or is followed by more than a delimiter; a
 *   carriage return outside quotes that no line feed follows; more than 10 000 columns; what `forEachLineBlock` throws.
 *   Whatever `visit` throws.
 */
export async function forEachRecord(
  path: string,
  { character, quotes, comment = '', isParquet }: Delimiter,
  visit: (record: DelimitedRecord) => void,
  onRead?: (bytes: number) => void,
  onBad?: (error: FuzzError) => void,
): Promise<number> {
  if (isParquet) {
    await forEachParquetRecord(path, visit, onRead);
    return 0;
  }
  const delimiter = character.charCodeAt(0);
  const mark = Buffer.from(comment);
  const { line: longest } = readLimits();
  let comments = 0;
  let recordStart = 0;
  const starts: number[] = [];
  const ends: number[] = [];
  /** Whether a field holds doubled quotes, which are made single once the record is known to be whole. */
  const doubled: boolean[] = [];
  const record = {
    bytes: Buffer.alloc(0) as Buffer,
    line: 0,
    count: 0,
    start: (field: number): number => starts[field]!,
    end: (field: number): number => ends[field]!,
    text: (field: number): string => record.bytes.toString('utf8', starts[field]!, ends[field]!),
  };
  const bad = (message: string, line: number, hint: string): BadRecord =>
    new BadRecord(new FuzzError('data', message, { path: `${path}:${line}`, hint }));

  const readRecords = (bytes: Buffer, firstLine: number, isLast: boolean): number => {
    let [from, line] = [0, firstLine];
    for (;;) {
      try {
        return readFrom(bytes, from, line, isLast);
      } catch (error) {
        if (!(error instanceof BadRecord)) throw error;
        if (onBad === undefined) throw error.error;
        onBad(error.error);
        // The record is passed over to the end of its first line, wherever its quotes were to end.
        line = record.line + 1;
        from = bytes.indexOf(lineFeed, recordStart) + 1;
      }
    }
  };
  const readFrom = (bytes: Buffer, from: number, firstLine: number, isLast: boolean): number => {
    record.bytes = bytes;
    let line = firstLine;
    let at = from;
    let lone = findLoneReturn(bytes, at);
    // Before columns are counted: those of the lines that follow may be ones that are left out.
    const refuseLoneReturn = (start: number, end: number): void => {
      if (lone < start) lone = findLoneReturn(bytes, start);
      if (lone < end) throw new BadRecord(loneReturn(`${path}:${line}`));
    };
    while (at < bytes.length) {
      if (mark.length > 0 && startsWith(bytes, at, mark)) {
        const end = bytes.indexOf(lineFeed, at);
        recordStart = at;
        record.line = line;
        refuseLoneReturn(at, end);
        comments++;
        line++;
        at = end + 1;
        continue;
      }
      recordStart = at;
      record.line = line;
      record.count = 0;
      for (let isOpen = true; isOpen; ) {
        const field = record.count++;
        if (field === mostColumns)
          throw bad(
            `columns: expected at most ${mostColumns}, got more`,
            record.line,
            'Is it a table with one fact a line?',
          );
        doubled[field] = false;
        let start = at;
        let end: number;
        if (quotes && bytes[at] === quote) {
          start = ++at;
          // Byte by byte: a search for the next line feed or quote from every quote costs the square of the length.
          for (; at < bytes.length; at++) {
            if (bytes[at] === lineFeed) line++;
            if (bytes[at] !== quote) continue;
            if (bytes[at + 1] !== quote) break;
            doubled[field] = true;
            at++;
          }
          if (at >= bytes.length) {
            if (isLast || bytes.length - recordStart > longest) {
              throw bad(
                'quote: expected its end, got none',
                record.line,
                isLast
                  ? 'Close the quotes, or double those inside.'
                  : `Close the quotes. ${raiseLimit('line')}`,
              );
            }
            return recordStart;
          }
          at++;
          end = at - 1;
          if (bytes[at] === carriageReturn) {
            refuseLoneReturn(at, at + 1);
            at++;
          }
          if (bytes[at] !== delimiter && bytes[at] !== lineFeed) {
            throw bad(
              'quote: expected a delimiter or the end of the line after it, got more',
              line,
              'Double the quotes inside a quoted field: "say ""yes""".',
            );
          }
        } else {
          while (bytes[at] !== delimiter && bytes[at] !== lineFeed) at++;
          if (lone < at) refuseLoneReturn(start, at);
          end = bytes[at] === lineFeed && at > start && bytes[at - 1] === carriageReturn ? at - 1 : at;
        }
        starts[field] = start;
        ends[field] = end;
        isOpen = bytes[at] === delimiter;
        at++;
      }
      line++;
      if (record.count === 1 && starts[0] === ends[0]) continue;
      for (let field = 0; field < record.count; field++) {
        if (doubled[field]) ends[field] = singleQuotes(bytes, starts[field]!, ends[field]!);
      }
      visit(record);
    }
    return bytes.length;
  };
  await forEachLineBlock(path, readRecords, onRead, onBad);
  return comments;
}

/** Carries what is wrong with one record out of the loop over its block. */
class BadRecord extends Error {
  readonly error: FuzzError;
  constructor(error: FuzzError) {
    super(error.message);
    this.error = error;
  }
}

const quote = 0x22;
const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/** Where the first carriage return from there on stands that no line feed follows; infinite where none does. */
function findLoneReturn(bytes: Buffer, from: number): number {
  let at = bytes.indexOf(carriageReturn, from);
  while (at >= 0 && bytes[at + 1] === lineFeed) at = bytes.indexOf(carriageReturn, at + 2);
  return at < 0 ? Number.POSITIVE_INFINITY : at;
}

function startsWith(bytes: Buffer, at: number, mark: Buffer): boolean {
  for (let i = 0; i < mark.length; i++) if (bytes[at + i] !== mark[i]) return false;
  return true;
}

/** Writes the field over itself with single quotes for doubled ones; gives its new end. */
function singleQuotes(bytes: Buffer, start: number, end: number): number {
  let to = start;
  for (let from = start; from < end; from++) {
    bytes[to++] = bytes[from]!;
    if (bytes[from] === quote) from++;
  }
  return to;
}
