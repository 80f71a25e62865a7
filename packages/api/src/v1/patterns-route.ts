import { FuzzError, schema } from '@fuzzqe/core';
import { type Pattern, readPattern } from '@fuzzqe/core/query';
import { type Engine, type Exclusion, fitPatternCost, type PatternOptions } from '@fuzzqe/engine';
import type { QueryLimits } from './query-request.ts';
import { readRequest } from './read-request.ts';

const exclusions: readonly Exclusion[] = ['known', 'none'];

/** What `POST /v1/patterns` takes. */
export const patternBody: schema.Schema<
  Pick<
    PatternOptions,
    | 'at'
    | 'k'
    | 'minDegree'
    | 'suggestions'
    | 'exclude'
    | 'explain'
    | 'count'
    | 'exists'
    | 'links'
    | 'width'
    | 'order'
  > & {
    /** Text or JSON. */
    readonly pattern: unknown;
    readonly timeoutMs?: number;
  }
> = schema.object({
  pattern: schema.anything,
  k: schema.optional(schema.integer()),
  minDegree: schema.optional(schema.number()),
  suggestions: schema.optional(schema.boolean),
  exclude: schema.withDefault(schema.oneOf(exclusions), 'none'),
  at: schema.optional(schema.string),
  explain: schema.optional(schema.boolean),
  count: schema.optional(schema.boolean),
  exists: schema.optional(schema.oneOf(['max', 'or'])),
  links: schema.optional(schema.integer()),
  width: schema.optional(schema.integer()),
  order: schema.optional(
    schema.object({
      property: schema.string,
      variable: schema.optional(schema.string),
      descending: schema.optional(schema.boolean),
    }),
  ),
  timeoutMs: schema.optional(schema.integer({ min: 1 })),
});

/** What is asked, by ids. */
export interface PatternQuestion {
  readonly pattern: Pattern;
  readonly options: PatternOptions;
  /** Milliseconds of one core that it may take. */
  readonly cost: number;
  readonly timeoutMs?: number;
}

/**
 * Reads a request: `{pattern, k?, minDegree?, suggestions?, exclude?, at?, explain?, count?, exists?, links?, width?, order?, timeoutMs?}`.
 *
 * @throws FuzzError `query`, `vocabulary`, `range` or `usage`; `cost`: it would take too long.
 */
export function readPatternQuestion(
  engine: Pick<Engine, 'vocabulary' | 'costOfPattern'>,
  body: unknown,
  { maxK, costLimit }: QueryLimits,
): PatternQuestion {
  const {
    pattern: written,
    timeoutMs,
    ...options
  } = readRequest(patternBody, body, '{"pattern": "?x : #0(?x, ?y)"}');
  if (options.k !== undefined && options.k > maxK)
    throw new FuzzError('range', `k: expected an integer in [1, ${maxK}], got ${options.k}`, {
      path: '$.k',
      hint: 'Ask for fewer answers.',
    });
  const pattern = readPattern(written, engine.vocabulary, '$.pattern');
  const fitted = fitPatternCost(engine, pattern, options, costLimit);
  return { pattern, ...fitted, ...(timeoutMs === undefined ? {} : { timeoutMs }) };
}
