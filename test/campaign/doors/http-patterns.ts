import fc, { type Arbitrary } from 'fast-check';
import { mutated, utf8 } from '../mutations.ts';
import type { HttpInput } from './http-inputs.ts';
import { maybe, number } from './maybe.ts';
import { type PatternWords, patternJson, patternText } from './patterns.ts';

/** What patterns name over HTTP. */
export const patternWords: PatternWords = {
  known: { entities: ['e1', 'e39'], relations: ['r0', 'r1^-1'] },
  strange: {
    entities: ['"Entity 1"', '#1', '#40', '"\\u0000"', '<e1>'],
    relations: ['"relation 2"', '#5', '#6', 'constructor'],
  },
};
/** Bodies with patterns of several variables. */
const patternBodies = utf8(
  fc
    .record({
      pattern: fc.oneof(patternText(patternWords), patternJson(patternWords), fc.jsonValue({ maxDepth: 1 })),
      k: maybe(number),
      links: maybe(number),
      width: maybe(number),
      explain: maybe(fc.boolean()),
      count: maybe(fc.boolean()),
      exists: maybe(fc.constantFrom<unknown>('max', 'or', 'min')),
      order: maybe(fc.record({ property: fc.constantFrom('height', ''), descending: maybe(fc.boolean()) })),
      at: maybe(fc.constantFrom('2020', '2020-02-30', 'now')),
      timeoutMs: maybe(number),
    })
    .map((value) => JSON.stringify(value)),
);
/** Bodies with questions in words. */
const wordBodies = utf8(
  fc
    .record({
      question: fc.oneof(
        fc.constantFrom('What does Entity 1 relation 2?', 'relation 2 of Entity 3', 'how many?', ''),
        fc.string({ maxLength: 40 }),
      ),
      k: maybe(number),
    })
    .map((value) => JSON.stringify(value)),
);

/** Requests with patterns, and with questions in words. */
export const patternInput: Arbitrary<HttpInput> = fc
  .oneof(
    fc.tuple(
      fc.constantFrom('/v1/patterns', '/v1/models/tiny/patterns'),
      mutated(patternBodies, ['?x', '"', '{', '(', ':', '\\u0000']),
    ),
    fc.tuple(fc.constantFrom('/v1/ask', '/v1/models/tiny/ask'), wordBodies),
  )
  .map(
    ([where, bytes]): HttpInput => ({
      method: 'POST',
      path: where,
      headers: [['content-type', 'application/json']],
      body: Buffer.from(bytes).toString('latin1'),
    }),
  );
