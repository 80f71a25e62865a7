import { FuzzError } from '@fuzzqe/core';
import { planTables } from '../tables/plan-tables.ts';
import type { TableOptions } from '../tables/table-options.ts';
import type { TablePlan } from '../tables/table-plan.ts';
import { delimiterOf } from '../triples/read-triples.ts';
import type { BlankNodes } from '../triples/take-quads.ts';
import { isRdf, type TripleFormat, tripleFormatOf } from '../triples/triple-format.ts';

/** What was said about the form of the files of a data set. */
export interface FileForms extends TableOptions {
  /** The form of the files of triples. Default: what the ending of each tells. */
  readonly format?: TripleFormat;
  /** What lines of TSV and CSV begin with that are passed over: `#`, say. Default: none do. */
  readonly comment?: string;
}

/** What was said of how RDF is read. */
export interface RdfOptions {
  /** Whether RDF triples with a blank node as subject or object are left out. Default false. */
  readonly skipBlank?: boolean;
  /** Whether a path through a blank node becomes a relation, and other triples with blank nodes are left out. Default false. */
  readonly contractBlank?: boolean;
  /** The IRI that relative IRIs are relative to. Default: the URL of each file. */
  readonly base?: string;
}

/**
 * The same for the reader.
 *
 * @throws FuzzError `usage`: both of `skipBlank` and `contractBlank`; a base that is no absolute IRI.
 */
export function rdfOptions({ skipBlank = false, contractBlank = false, base }: RdfOptions): {
  readonly blank: BlankNodes;
  readonly base: string | undefined;
} {
  if (skipBlank && contractBlank)
    throw new FuzzError('usage', 'blank nodes: expected --skip-blank or --contract-blank, got both', {
      hint: 'Leave one of them out.',
    });
  if (base !== undefined && !/^[a-z][a-z\d+.-]*:[^\s<>"{}|\\^\x60]*$/i.test(base))
    throw new FuzzError('usage', `base: expected an absolute IRI, got ${JSON.stringify(base)}`, {
      hint: 'Such as --base http://example.org/.',
    });
  return { blank: skipBlank ? 'skip' : contractBlank ? 'contract' : 'keep', base };
}

/**
 * Decides how the files of one data set that are tables are read; the first line of the titled ones is one of titles.
 *
 * @throws FuzzError what `planTables`, `delimiterOf` and `tripleFormatOf` throw.
 */
export async function planFiles(
  paths: readonly (string | undefined)[],
  options: FileForms,
  titled: ReadonlySet<string>,
): Promise<ReadonlyMap<string, TablePlan>> {
  const files = paths.flatMap((path) => {
    if (path === undefined) return [];
    const format = options.format ?? tripleFormatOf(path);
    if (isRdf(format)) return [];
    const delimiter = delimiterOf(format, options.comment);
    return [{ path, delimiter: titled.has(path) ? { ...delimiter, isTitled: true as const } : delimiter }];
  });
  const plans = await planTables(files, options);
  return new Map(files.map(({ path }, i) => [path, plans[i]!]));
}
