import { FuzzError } from '@fuzzqe/core';
import { commas, type Delimiter, parquetColumns, tabs } from '../files/delimited.ts';
import type { LiteralSink } from '../literals/literal-sink.ts';
import { defaultColumns, planOf, type TablePlan } from '../tables/table-plan.ts';
import { anotherForm } from './another-form.ts';
import type { GatheredProvenance } from './gather-provenance.ts';
import { createRdfNames } from './rdf-names.ts';
import { readRdf } from './read-rdf.ts';
import { readTable } from './read-table.ts';
import { createRdfReading, type RdfReading } from './take-quads.ts';
import { isRdf, type TripleFormat } from './triple-format.ts';
import type { TripleNames } from './triple-names.ts';
import { createTripleSink, type TripleFile, type TripleSink, type UnknownNames } from './triple-sink.ts';

/** How a file of triples is read. */
export interface ReadTriplesOptions {
  readonly names: TripleNames;
  /** Default `refuse`. */
  readonly unknown?: UnknownNames;
  /** Default `tsv`. */
  readonly format?: TripleFormat;
  /** How TSV and CSV are read. Default: head, relation and tail in each line. */
  readonly plan?: TablePlan | undefined;
  /** How RDF is read. Default: by itself, with its names going nowhere. */
  readonly rdf?: RdfReading;
  /** Takes numbers, dates and booleans of tables; RDF has a sink of its own. Without it they are left out. */
  readonly literals?: LiteralSink | undefined;
  /** Takes what tables say of facts; RDF has it in its reading. Without it that is passed over. */
  readonly provenance?: GatheredProvenance | undefined;
  /** Whether lines that cannot be read are passed over and counted. Default false. */
  readonly skipBad?: boolean | undefined;
  /** Told how many bytes of the file were read, block by block. */
  readonly onRead?: ((bytes: number) => void) | undefined;
}

/**
 * Reads triples: head, relation and tail in a line of tabs or commas, or as RDF; `.gz` is unzipped.
 *
 * Empty lines and comments are passed over. The same fact may come several times. Memory: 12 bytes a fact, and the names.
 *
 * @throws FuzzError `data` with `path:line`: names that are not known, with their number; a file without triples; what
 *   `readTable` and `readRdf` throw.
 */
export async function readTriples(path: string, options: ReadTriplesOptions): Promise<TripleFile> {
  const { names, unknown = 'refuse', format = 'tsv' } = options;
  return readInto(path, createTripleSink(path, names, unknown, format), options);
}

/** Reads triples into a sink; errors as for `readTriples`, except those of the sink. */
export async function readInto(
  path: string,
  sink: TripleSink,
  options: Omit<ReadTriplesOptions, 'names' | 'unknown'>,
): Promise<TripleFile> {
  const { format = 'tsv', plan, rdf, literals, provenance, skipBad, onRead } = options;
  try {
    if (isRdf(format))
      return await readRdf(path, format, sink, rdf ?? createRdfReading(createRdfNames('')), {
        skipBad,
        onRead,
      });
    const order = plan ?? planOf(delimiterOf(format), defaultColumns, { exact: 3 });
    return await readTable(path, order, sink, { skipBad, onRead, literals, provenance });
  } catch (error) {
    throw (await anotherForm(path, format, error)) ?? error;
  }
}

/**
 * The delimiter of tables of a form, with the beginning of comments.
 *
 * @throws FuzzError `usage`: a beginning of comments that is empty or holds a line end.
 */
export function delimiterOf(format: TripleFormat, comment?: string): Delimiter {
  if (format === 'parquet') return parquetColumns;
  const delimiter = format === 'csv' ? commas : tabs;
  if (comment === undefined) return delimiter;
  if (/^[^\r\n]+$/.test(comment)) return { ...delimiter, comment };
  throw new FuzzError('usage', `comment: expected what a line begins with, got ${JSON.stringify(comment)}`, {
    hint: "Give a character or more, as in --comment '#'.",
  });
}
