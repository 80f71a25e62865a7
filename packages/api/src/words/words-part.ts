import { FuzzError, schema } from '@fuzzqe/core';
import { formatPattern, writePattern } from '@fuzzqe/core/query';
import { type Engine, inTurns, type SearchLimits } from '@fuzzqe/engine';
import {
  type AskedPattern,
  askableQuestions,
  longestQuestion,
  patternOfQuestion,
  type Translator,
  translateQuestion,
} from '@fuzzqe/engine/words';
import type { Context } from 'hono';
import { readJson } from '../body/read-json.ts';
import { writeJson } from '../body/write-json.ts';
import type { ApiContext, ApiEnv, ApiPart } from '../part/api-part.ts';
import { createRoutes } from '../part/create-routes.ts';
import { readPatternQuestion } from '../v1/patterns-route.ts';
import { readRequest } from '../v1/read-request.ts';
import { limitsOf, type TimeLimit } from '../v1/time-limit.ts';
import { useModel } from '../v1/use-model.ts';
import { declareWords, questionFields } from './words-declarations.ts';

/** What writes patterns in addition to the templates. */
export interface WordsPartOptions {
  /** Default: questions that no template fits are refused. */
  readonly translator?: Translator | undefined;
}

const questionForm = schema.object(questionFields);

/** Who wrote a pattern. */
export type PatternWriter = 'templates' | 'translator';

/**
 * `POST /v1/ask`, for `createApp`: questions in words, by templates and by a translator.
 *
 * The pattern that the question means comes with its answer, or with `run: false` by itself.
 *
 * @example
 * const app = createApp(engine, { mount: [wordsPart()] });
 */
export function wordsPart({ translator }: WordsPartOptions = {}): ApiPart {
  return {
    path: '/v1',
    endpoints: {
      'POST /v1/ask': 'answers a question in words',
      'GET /v1/ask': 'lists questions that templates know',
    },
    declare: declareWords,
    routes(context) {
      const routes = createRoutes<ApiEnv>();
      for (const path of ['/ask', '/models/:name/ask']) {
        routes.get(path, (request) => listQuestions(context, request, translator));
        routes.post(path, (request) => answerWords(context, request, translator));
      }
      return routes;
    },
  };
}

/** What may be asked in words. */
export interface QuestionListing {
  /** Questions over the facts of the graph that templates know. */
  readonly questions: readonly string[];
  /** Whether a translator writes patterns for other questions. */
  readonly translator: boolean;
}

function listQuestions(
  context: ApiContext,
  request: Context<ApiEnv>,
  translator: Translator | undefined,
): Promise<Response> {
  return useModel(context, request, ({ engine }) => {
    const listing: QuestionListing = {
      questions: askableQuestions(engine),
      translator: translator !== undefined,
    };
    return request.json(listing);
  });
}

async function answerWords(
  context: ApiContext,
  request: Context<ApiEnv>,
  translator: Translator | undefined,
): Promise<Response> {
  const { models, bodyLimit, timeout, costLimit } = context;
  const body = await readJson(request.req.raw, bodyLimit, limitsOf(request, timeout));
  const lease = await models.acquire(request.req.param('name'));
  try {
    const { name, version, engine } = lease;
    const { vocabulary, costOfPattern } = engine;
    const { question, run, timeoutMs, options } = readQuestion(body);
    const limit = limitsOf(request, timeout, timeoutMs);
    let spent = 0;
    const onCost = (cost: number): void => {
      spent += cost;
      request.set('subject', { model: name, version, cost: spent });
    };
    const { asked, by } = await patternBy(engine, question, translator, { ...limit, costLimit, onCost });
    const { pattern, count } = asked;
    const json = writePattern(pattern, vocabulary);
    const written = { question, by, pattern: { text: formatPattern(pattern, vocabulary), json }, count };
    if (!run) return respond(request, written, limit);
    const what = readPatternQuestion(
      { vocabulary, costOfPattern },
      { count, ...options, pattern: json },
      context,
    );
    request.set('subject', { model: name, version, cost: spent + what.cost, mode: 'sets' });
    const answer = await engine.match(pattern, { ...what.options, ...limit });
    return await respond(request, { ...written, answer }, limit);
  } finally {
    lease.release();
  }
}

/** By a template, else by the translator: templates are at hand, and refuse what they do not know. */
async function patternBy(
  engine: Engine,
  question: string,
  translator: Translator | undefined,
  limits: TimeLimit & SearchLimits,
): Promise<{ readonly asked: AskedPattern; readonly by: PatternWriter }> {
  const { vocabulary } = engine;
  await inTurns(vocabulary.prepareNames(), limits);
  try {
    return { asked: patternOfQuestion(question, engine, '$.question'), by: 'templates' };
  } catch (error) {
    if (translator === undefined || !(error instanceof FuzzError)) throw error;
    const asked = await translateQuestion(question, engine, translator, limits);
    return { asked, by: 'translator' };
  }
}

/** The question, and the options of its pattern, which `readPatternQuestion` checks. */
function readQuestion(body: unknown): schema.ObjectOf<typeof questionFields> & { readonly options: object } {
  const given: Readonly<Record<string, unknown>> = isRecord(body) ? body : {};
  const own = Object.entries(given).filter(([key]) => key in questionFields);
  const options = Object.fromEntries(Object.entries(given).filter(([key]) => !(key in questionFields)));
  const hint = 'For example {"question": "what borders France"}.';
  const read = readRequest(questionForm, Object.fromEntries(own), '{"question": "what borders France"}');
  const { length } = read.question;
  if (read.question.trim() === '' || length > longestQuestion)
    throw new FuzzError('query', `question: expected 1 to ${longestQuestion} characters, got ${length}`, {
      path: '$.question',
      hint,
    });
  if ('pattern' in options)
    throw new FuzzError('query', 'pattern: expected none beside a question', {
      path: '$.pattern',
      hint: 'POST /v1/patterns answers patterns.',
    });
  return { ...read, options };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

async function respond(request: Context<ApiEnv>, value: unknown, limits: TimeLimit): Promise<Response> {
  return request.body(await writeJson(value, limits), 200, { 'content-type': 'application/json' });
}
