import { type CallLimits, throwIfOver, whenOver } from '@fuzzqe/engine';
import type { Query } from '@traqula/rules-sparql-1-1';
import type { SparqlResult } from '../results/sparql-result.ts';
import type { TripleSource } from '../terms/triple-source.ts';
import { evaluationError, tooManyRows } from './evaluation-errors.ts';

/** Evaluates a query over triples by the algebra of SPARQL 1.1. */
export type Evaluate = (
  /** A query with whole IRIs. */
  query: Query,
  source: TripleSource,
  options: EvaluationOptions,
) => Promise<SparqlResult>;

/** How much a query may give, and until when. */
export interface EvaluationOptions {
  /** The most rows or triples. */
  readonly most: number;
  readonly limits: CallLimits;
}

/**
 * Evaluates a query here, by an engine that the first query loads.
 *
 * @throws FuzzError `range`: more rows than `most`. `interrupted`, `deadline`: the limits. `query`: what the engine cannot do. What the source throws.
 */
export const evaluate: Evaluate = async (query, source, { most, limits }) => {
  throwIfOver(limits);
  const { evaluateHere } = await import('./kept-engine.ts');
  const ending = new AbortController();
  const stopWaiting = whenOver(limits, (error) => ending.abort(error));
  const faults: unknown[] = [];
  try {
    return await evaluateHere(query, heardSource(source, faults), {
      most,
      tooMany: () => tooManyRows(most),
      signal: ending.signal,
    });
  } catch (error) {
    // A fault of the source is no fault of the query.
    throw faults.length > 0 ? faults[0] : evaluationError(error);
  } finally {
    stopWaiting();
  }
};

/** A source whose faults are noted. */
function heardSource(source: TripleSource, faults: unknown[]): TripleSource {
  const note = (error: unknown): never => {
    faults.push(error);
    throw error;
  };
  return {
    async *match(pattern) {
      try {
        yield* source.match(pattern);
      } catch (error) {
        note(error);
      }
    },
    count: async (pattern) => {
      try {
        return await source.count(pattern);
      } catch (error) {
        return note(error);
      }
    },
  };
}
