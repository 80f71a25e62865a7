import type { Delimiter } from '../files/delimited.ts';
import type { TableSurvey } from './survey-table.ts';
import type { HeaderOption } from './table-plan.ts';
import type { TitledColumns } from './titles.ts';

/** What was said about the columns of tables. */
export interface TableOptions {
  /** Default `auto`. */
  readonly header?: HeaderOption;
  /** Whether there may be more columns than those of a fact, which are not read. Default false. */
  readonly ignoreExtra?: boolean;
  /** Which column holds what: `head=film,relation="likes",tail=user`. Default: what the file shows. */
  readonly columns?: string;
  /** The column of which each other column is a relation, whose name is its title. */
  readonly table?: string;
}

/** A file of a table. */
export interface TableFile {
  readonly path: string;
  readonly delimiter: Delimiter;
}

/** A file with what a look at it showed. */
export interface SurveyedTable extends TableFile {
  readonly survey: TableSurvey;
  readonly titled: TitledColumns | undefined;
}
