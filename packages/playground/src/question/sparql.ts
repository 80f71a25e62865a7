import { FuzzError } from '@fuzzqe/core';
import { formatSparql } from '@fuzzqe/sparql/format';
import type { Naming } from './naming.ts';
import type { Question } from './question.ts';
import type { AskSettings } from './settings.ts';
import { fromQuery, toQuery } from './to-query.ts';

/** What a SPARQL query says: what is asked, and of the settings those that it has. */
export interface SparqlQuestion {
  readonly question: Question;
  readonly settings: Partial<Pick<AskSettings, 'k' | 'exclude' | 'minDegree'>>;
}

/**
 * Writes a question as SPARQL; nothing where a part is missing.
 *
 * @throws FuzzError `query`: a negation with nothing beside it that is not negated, which SPARQL cannot say.
 */
export async function writeSparql(
  question: Question,
  naming: Naming,
  { k, exclude, minDegree }: Partial<AskSettings> = {},
): Promise<string | undefined> {
  const query = toQuery(question);
  if (query === undefined) return undefined;
  const format = {
    ...(k === undefined ? {} : { limit: k }),
    ...(exclude === undefined ? {} : { exclude }),
    ...(minDegree === undefined ? {} : { minDegree }),
  };
  return naming.run((vocabulary) => formatSparql(query, vocabulary, format));
}

/**
 * Reads a question in SPARQL, by a parser that is loaded when it is first needed.
 *
 * @throws FuzzError `query` or `vocabulary`, with line and column.
 */
export async function readSparql(text: string, naming: Naming): Promise<SparqlQuestion> {
  const { parseSparql } = await import('@fuzzqe/sparql');
  const parsed = await naming.run((vocabulary) => parseSparql(text, vocabulary));
  const { query, limit, minDegree, exclude, offset, aboveMinDegree, order } = parsed;
  const unsupported =
    (offset > 0 && 'OFFSET') ||
    (aboveMinDegree && 'FILTER(?degree > …)') ||
    (order.some(({ by, descending }) => by !== 'degree' || !descending) && 'ORDER BY') ||
    (parsed.form === 'ask' && 'ASK');
  if (typeof unsupported === 'string') {
    throw new FuzzError('query', `SPARQL: the playground asks for the best answers, not by ${unsupported}`, {
      hint: 'Ask it at /sparql, which answers all that docs/sparql.md names.',
    });
  }
  return {
    question: fromQuery(query),
    settings: {
      ...(limit === undefined ? {} : { k: limit }),
      ...(minDegree === undefined ? {} : { minDegree }),
      exclude,
    },
  };
}
