import { FuzzError, schema } from '@fuzzqe/core';
import { readQuery } from '@fuzzqe/core/query';
import { type Answer, type AnswerOptions, answerModes } from '../../answer.ts';
import type { Engine } from '../../engine.ts';

const requestSchema = schema.object({
  query: schema.anything,
  k: schema.optional(schema.integer()),
  mode: schema.withDefault(schema.oneOf(answerModes), 'sets'),
  exclude: schema.withDefault(schema.oneOf(['known', 'none']), 'none'),
  minDegree: schema.optional(schema.number()),
  probability: schema.optional(schema.boolean),
});

/** Answers the body of `POST /v1/query`: `{query, k?, mode?, exclude?, minDegree?, probability?}`, the query as JSON or as text. */
export async function answerRequest(engine: Engine, body: unknown, maxK: number): Promise<Answer> {
  const { query, k, ...others } = schema.parse(requestSchema, body, {
    code: 'query',
    what: 'request',
    path: '$',
  });
  if (k !== undefined && k > maxK && maxK < engine.facts.entityCount) {
    throw new FuzzError('range', `k: expected an integer in [1, ${maxK}], got ${k}`, {
      path: '$.k',
      hint: `This server gives at most ${maxK} answers.`,
    });
  }
  return engine.answer(readQuery(query, engine.vocabulary, '$.query'), {
    ...others,
    ...(k === undefined ? {} : { k }),
    // The engine refuses what the mode does not have.
  } as AnswerOptions);
}
