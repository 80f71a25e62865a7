import { FuzzError } from '@fuzzqe/core';
import { commas, type DelimitedRecord, type Delimiter, forEachRecord, tabs } from '../files/delimited.ts';
import { columnsFromHeader, type HeaderOption, type TripleColumns, usualColumns } from '../files/header.ts';
import { type RdfLabels, readRdf } from './read-rdf.ts';
import type { TripleFormat } from './triple-format.ts';
import type { TripleNames } from './triple-names.ts';
import { createTripleSink, type TripleFile, type TripleSink, type UnknownNames } from './triple-sink.ts';

/** How a file of triples is read. */
export interface ReadTriplesOptions {
  readonly names: TripleNames;
  /** Default `refuse`. */
  readonly unknown?: UnknownNames;
  /** Default `tsv`. */
  readonly format?: TripleFormat;
  /** Default `no`. */
  readonly header?: HeaderOption;
  /** Takes the labels that RDF gives. */
  readonly labels?: RdfLabels;
  /** Told how many bytes of the file were read, block by block. */
  readonly onRead?: ((bytes: number) => void) | undefined;
}

/**
 * Reads triples: head, relation and tail in a line of tabs or commas, or as RDF; `.gz` is unzipped.
 *
 * Empty lines are passed over. The same fact may come several times. Memory: 12 bytes a fact, and the names.
 *
 * @throws FuzzError `data` with `path:line`: not three columns, or an empty one; names that are not known, with their
 *   number; a file without triples; RDF that cannot be parsed; what `forEachRecord` throws.
 */
export async function readTriples(path: string, options: ReadTriplesOptions): Promise<TripleFile> {
  const { names, unknown = 'refuse', format = 'tsv', header = 'no', onRead } = options;
  const sink = createTripleSink(path, names, unknown);
  if (format === 'tsv' || format === 'csv') {
    await readDelimited(path, format === 'csv' ? commas : tabs, header, sink, onRead);
    return sink.finish(0);
  }
  const literals = await readRdf(path, format, sink, options.labels, onRead);
  return sink.finish(literals);
}

async function readDelimited(
  path: string,
  delimiter: Delimiter,
  header: HeaderOption,
  sink: TripleSink,
  onRead: ((bytes: number) => void) | undefined,
): Promise<void> {
  let columns: TripleColumns | undefined = header === 'no' ? usualColumns : undefined;
  const take = (record: DelimitedRecord): void => {
    checkColumns(record, delimiter, path);
    if (columns !== undefined) {
      sink.add(record, columns.head, columns.relation, columns.tail);
      return;
    }
    const named = columnsFromHeader(record);
    columns = named ?? usualColumns;
    // A first line that is no header that we know is one all the same when the user says so.
    if (named === undefined && header === 'auto') sink.add(record, 0, 1, 2);
  };
  await forEachRecord(path, delimiter, take, onRead);
}

function checkColumns(record: DelimitedRecord, { character }: Delimiter, path: string): void {
  const { count } = record;
  if (
    count === 3 &&
    record.end(0) > record.start(0) &&
    record.end(1) > record.start(1) &&
    record.end(2) > record.start(2)
  ) {
    return;
  }
  const between = character === '\t' ? 'tabs' : 'commas';
  const got = count === 3 ? 'an empty one' : String(count);
  throw new FuzzError('data', `triple: expected three columns between ${between}, got ${got}`, {
    path: `${path}:${record.line}`,
    hint:
      count === 1
        ? `Separate the columns by ${between}${character === '\t' ? ', not by spaces or commas' : '; for tabs, --format tsv'}.`
        : count > 3 && character === ','
          ? 'A name with a comma stands between double quotes: "Paris, Texas",in,USA'
          : ['head', 'relation', 'tail'].join(character === '\t' ? ' TAB ' : ','),
  });
}
