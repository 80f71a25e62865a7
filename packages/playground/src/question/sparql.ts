import { formatSparql } from '@fuzzqe/sparql/format';
import type { Naming, Outcome } from './naming.ts';
import type { Question } from './question.ts';
import type { SparqlCall } from './read-sparql.ts';
import type { AskSettings } from './settings.ts';
import { toQuery } from './to-query.ts';

/** What a SPARQL query says: what is asked, and of the settings those that it has. */
export interface SparqlQuestion {
  readonly question: Question;
  readonly settings: Partial<AskSettings>;
}

/**
 * Writes a question as SPARQL; nothing where a part is missing.
 *
 * @throws FuzzError `query`: a negation with nothing beside it that is not negated, which SPARQL cannot say.
 */
export async function writeSparql(
  question: Question,
  naming: Naming,
  { k, exclude }: Partial<AskSettings> = {},
): Promise<string | undefined> {
  const query = toQuery(question);
  if (query === undefined) return undefined;
  const format = {
    ...(k === undefined ? {} : { limit: k }),
    ...(exclude === undefined ? {} : { exclude }),
  };
  return naming.run((vocabulary) => formatSparql(query, vocabulary, format));
}

/** Reads SPARQL where its parser is: `answerSparqlCall`, in a worker of the browser. */
export type SparqlReader = (call: SparqlCall) => Promise<Outcome<SparqlQuestion>>;

/**
 * Reads a question in SPARQL.
 *
 * @throws FuzzError `query` or `vocabulary`, with line and column.
 */
export function readSparql(text: string, naming: Naming, reader: SparqlReader): Promise<SparqlQuestion> {
  return naming.runElsewhere((known) => reader({ text, known }));
}
