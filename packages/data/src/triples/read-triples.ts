import { FuzzError } from '@fuzzqe/core';
import { commas, type DelimitedRecord, type Delimiter, forEachRecord, tabs } from '../files/delimited.ts';
import { columnsFromHeader, defaultColumns, type HeaderOption, type TripleColumns } from '../files/header.ts';
import { createRdfNames } from './rdf-names.ts';
import { createRdfReading, type RdfReading, readRdf } from './read-rdf.ts';
import { isRdf, type TripleFormat } from './triple-format.ts';
import type { TripleNames } from './triple-names.ts';
import {
  createTripleSink,
  nothingLeftOut,
  type TripleFile,
  type TripleSink,
  type UnknownNames,
} from './triple-sink.ts';

/** How a file of triples is read. */
export interface ReadTriplesOptions {
  readonly names: TripleNames;
  /** Default `refuse`. */
  readonly unknown?: UnknownNames;
  /** Default `tsv`. */
  readonly format?: TripleFormat;
  /** Default `no`. */
  readonly header?: HeaderOption;
  /** What lines of TSV and CSV begin with that are passed over. Default: none do. */
  readonly comment?: string;
  /** Whether TSV and CSV may have columns beside those of a triple, which are not read. Default false. */
  readonly ignoreExtra?: boolean;
  /** How RDF is read. Default: by itself, with its names going nowhere. */
  readonly rdf?: RdfReading;
  /** Told how many bytes of the file were read, block by block. */
  readonly onRead?: ((bytes: number) => void) | undefined;
}

/**
 * Reads triples: head, relation and tail in a line of tabs or commas, or as RDF; `.gz` is unzipped.
 *
 * Empty lines and comments are passed over. The same fact may come several times. Memory: 12 bytes a fact, and the names.
 *
 * @throws FuzzError `data` with `path:line`: not three columns, or one that is empty or white space alone; names that
 *   are not known, with their number; a file without triples; RDF that cannot be parsed; what `forEachRecord` throws.
 */
export async function readTriples(path: string, options: ReadTriplesOptions): Promise<TripleFile> {
  const { names, unknown = 'refuse', format = 'tsv', rdf, onRead } = options;
  const sink = createTripleSink(path, names, unknown, format);
  if (isRdf(format))
    return sink.finish(
      await readRdf(path, format, sink, rdf ?? createRdfReading(createRdfNames('')), onRead),
    );
  const delimiter = format === 'csv' ? commas : tabs;
  const comments = await readDelimited(path, withComments(delimiter, options.comment), sink, options);
  return sink.finish({ ...nothingLeftOut, comments });
}

/**
 * The delimiter for a file with comments.
 *
 * @throws FuzzError `usage`: a beginning of comments that is empty or holds a line end.
 */
export function withComments(delimiter: Delimiter, comment: string | undefined): Delimiter {
  if (comment === undefined) return delimiter;
  if (/^[^\r\n]+$/.test(comment)) return { ...delimiter, comment };
  throw new FuzzError('usage', `comment: expected what a line begins with, got ${JSON.stringify(comment)}`, {
    hint: "Give a character or more, as in --comment '#'.",
  });
}

async function readDelimited(
  path: string,
  delimiter: Delimiter,
  sink: TripleSink,
  { header = 'no', ignoreExtra = false, onRead }: ReadTriplesOptions,
): Promise<number> {
  let columns: TripleColumns | undefined = header === 'no' ? defaultColumns : undefined;
  let needed = 3;
  const checkCount = ({ count, line }: DelimitedRecord): void => {
    if (count === 3 ? needed > 3 : count < needed || !ignoreExtra)
      throw wrongColumns(String(count), count, line);
  };
  const wrongColumns = (got: string, count: number, line: number): FuzzError => {
    const [between, isTabs] = delimiter.character === '\t' ? ['tabs', true] : ['commas', false];
    const expected = needed > 3 ? `${needed} columns or more` : 'three columns';
    return new FuzzError('data', `triple: expected ${expected} between ${between}, got ${got}`, {
      path: `${path}:${line}`,
      hint:
        count === 1
          ? `Separate the columns by ${between}${isTabs ? ', not by spaces or commas' : '; for tabs, --format tsv'}.`
          : count > 3 && !ignoreExtra
            ? `${isTabs ? '' : 'A name with a comma stands between double quotes: "Paris, Texas",in,USA. '}${extraHint}`
            : ['head', 'relation', 'tail'].join(isTabs ? ' TAB ' : ','),
    });
  };
  const take = (record: DelimitedRecord): void => {
    checkCount(record);
    if (columns === undefined) {
      const named = columnsFromHeader(record);
      columns = named ?? defaultColumns;
      needed = Math.max(columns.head, columns.relation, columns.tail) + 1;
      // A first line that is no header that we know is one all the same when the user says so.
      if (named !== undefined || header === 'yes') return;
    }
    const { head, relation, tail } = columns;
    if (isBlank(record, head) || isBlank(record, relation) || isBlank(record, tail))
      throw wrongColumns('an empty one', 3, record.line);
    sink.add(record, head, relation, tail);
  };
  return forEachRecord(path, delimiter, take, onRead);
}

/** Whether a field holds nothing, or white space alone: a name that nobody could see. */
function isBlank(record: DelimitedRecord, field: number): boolean {
  const { bytes } = record;
  const end = record.end(field);
  for (let at = record.start(field); at < end; at++) {
    const byte = bytes[at]!;
    // The white space beyond ASCII is for JavaScript to tell.
    if (byte >= 0x80) return record.text(field).trim() === '';
    if (byte !== 0x20 && (byte < 0x09 || byte > 0x0d)) return false;
  }
  return true;
}

const extraHint = 'To read the columns of the triple only, which a header may name, give --ignore-extra.';
