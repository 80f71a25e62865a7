import { FuzzError } from '@fuzzqe/core';
import { plainTree, planPattern } from '@fuzzqe/core/query';
import { parseSparql } from '@fuzzqe/sparql';
import { type KnownNames, type Naming, type Outcome, withKnownNames } from './naming.ts';
import type { SparqlQuestion } from './sparql.ts';
import { fromQuery } from './to-query.ts';

/** A text in SPARQL, and the names of the graph that are known so far. */
export interface SparqlCall {
  readonly text: string;
  readonly known: KnownNames;
}

/** Reads a text in SPARQL with the names that are known: where the parser is, which is too large and too slow for the page's thread. */
export function answerSparqlCall({ text, known }: SparqlCall): Promise<Outcome<SparqlQuestion>> {
  return withKnownNames(known, (naming) => readSparqlHere(text, naming));
}

async function readSparqlHere(text: string, naming: Naming): Promise<SparqlQuestion> {
  const parsed = await naming.run((vocabulary) => parseSparql(text, vocabulary));
  const { pattern, limit, minDegree, exclude, offset, order } = parsed;
  const unsupported =
    (parsed.form === 'ask' && 'ASK') ||
    (offset > 0 && 'OFFSET') ||
    (minDegree !== undefined && 'FILTER(?degree …)') ||
    (order.some(({ by, descending }) => by !== 'degree' || !descending) && 'ORDER BY') ||
    (limit !== undefined && (limit < 1 || limit > 1000) && `LIMIT ${limit}`);
  if (typeof unsupported === 'string') {
    throw new FuzzError('query', `SPARQL: the playground asks for the best answers, without ${unsupported}`, {
      hint: 'Ask it at /sparql, which answers all that docs/sparql.md names.',
    });
  }
  const query = plainTree(planPattern(pattern));
  if (query === undefined)
    throw new FuzzError('query', 'SPARQL: expected a question about one variable, got a pattern of several', {
      hint: 'Write it under "Several variables", or ask it at /sparql.',
    });
  return {
    question: fromQuery(query),
    settings: {
      ...(limit === undefined ? {} : { k: limit }),
      exclude,
    },
  };
}
