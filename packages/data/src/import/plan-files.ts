import { planTables } from '../tables/plan-tables.ts';
import type { TableOptions } from '../tables/table-options.ts';
import type { TablePlan } from '../tables/table-plan.ts';
import { delimiterOf } from '../triples/read-triples.ts';
import { isRdf, type TripleFormat, tripleFormatOf } from '../triples/triple-format.ts';

/** What was said about the form of the files of a data set. */
export interface FileForms extends TableOptions {
  /** The form of the files of triples. Default: what the ending of each tells. */
  readonly format?: TripleFormat;
  /** What lines of TSV and CSV begin with that are passed over: `#`, say. Default: none do. */
  readonly comment?: string;
}

/**
 * Decides how the files of one data set that are tables are read.
 *
 * @throws FuzzError what `planTables`, `delimiterOf` and `tripleFormatOf` throw.
 */
export async function planFiles(
  paths: readonly (string | undefined)[],
  options: FileForms,
): Promise<ReadonlyMap<string, TablePlan>> {
  const files = paths.flatMap((path) => {
    if (path === undefined) return [];
    const format = options.format ?? tripleFormatOf(path);
    return isRdf(format) ? [] : [{ path, delimiter: delimiterOf(format, options.comment) }];
  });
  const plans = await planTables(files, options);
  return new Map(files.map(({ path }, i) => [path, plans[i]!]));
}
