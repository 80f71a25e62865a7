import { schema } from '@fuzzqe/core';
import { askableQuestions, longestQuestion } from '@fuzzqe/engine/words';
import { answered, type Declare, formNamed, titled } from '../part/declaration.ts';
import { patternNotes } from '../part/query-notes.ts';
import { patternBody } from '../v1/patterns-route.ts';
import { timeoutForm, timeoutHeader } from '../v1/time-limit.ts';

/** What is asked in addition to the options of a pattern. */
export const questionFields: {
  readonly question: schema.Schema<string>;
  readonly run: schema.DefaultSchema<boolean>;
  readonly timeoutMs: schema.OptionalSchema<number>;
} = {
  question: schema.string,
  run: schema.withDefault(schema.boolean, true),
  timeoutMs: schema.optional(schema.integer({ min: 1 })),
};

const { array, boolean, object, oneOf, optional, string } = schema;
const answer = object({
  question: string,
  by: oneOf(['templates', 'translator']),
  pattern: object({ text: string, json: schema.anything }),
  count: boolean,
  answer: optional(schema.anything),
});
const questions = object({ questions: array(string), translator: boolean });
// A reader of an object has its fields.
const { pattern: _, ...options } = (
  patternBody as unknown as { readonly entries: Readonly<Record<string, schema.Schema<unknown>>> }
).entries;
const question = object({ ...questionFields, ...options });

/** What questions in words are and give, for documents. */
export const declareWords: Declare = ({ maxK }, engine) => ({
  schemas: { Questions: questions, QuestionAnswer: answer },
  notes: { by: 'What wrote the pattern.', json: formNamed('Pattern'), answer: formNamed('PatternAnswer') },
  routes: {
    'POST /v1/ask': {
      tag: 'Queries',
      summary: 'Answers a question in words',
      description:
        'Writes the pattern that the question means, by templates or by the translator of the server, and answers the pattern. The translator never writes an answer.',
      headers: { [timeoutHeader]: timeoutForm },
      body: { 'application/json': question },
      notes: {
        ...patternNotes(maxK),
        question: { pattern: '\\S', minLength: 1, maxLength: longestQuestion },
        run: 'Whether the pattern is answered; true unless given.',
        count: 'Whether tuples are counted; default: whether the question asks how many.',
        [timeoutHeader]: 'How long the client waits, in milliseconds.',
      },
      examples: {
        question: {
          summary: 'In words',
          value: { question: askableQuestions(engine)[0] ?? 'what borders France' },
        },
      },
      answers: { 200: answered(answer, 'The pattern, and its answer.') },
      problems: {
        ...titled(413, 415, 422, 429, 504),
        400: 'no pattern is found for the question, or an option is wrong.',
        503: 'also if the translator does not answer.',
      },
    },
    'GET /v1/ask': {
      tag: 'Queries',
      summary: 'Lists questions that may be asked in words',
      description:
        'Questions over the facts of the graph that templates know, and whether a translator reads others.',
      answers: { 200: answered(questions) },
    },
  },
});
