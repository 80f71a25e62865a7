import {
  type ApiContext,
  type ApiEnv,
  type ApiPart,
  limitsOf,
  negotiateType,
  type RequestSubject,
  type TimeLimit,
} from '@fuzzqe/api';
import { FuzzError } from '@fuzzqe/core';
import { matchStructure, plainTree, planPattern } from '@fuzzqe/core/query';
import {
  aFunction,
  checkOptions,
  type Engine,
  fitPatternCost,
  inTurns,
  leastAnswer,
  leastSuggestion,
  mostTuples,
  type PatternOptions,
  type PatternRow,
  readWithNames,
} from '@fuzzqe/engine';
import { type Context, Hono } from 'hono';
import { answerGraphQuery } from '../evaluate/answer-graph-query.ts';
import type { Evaluate } from '../evaluate/evaluate.ts';
import { asksForDegrees } from '../meaning/asks-for-degrees.ts';
import { checkGraphQuery } from '../meaning/check-graph-query.ts';
import { resolveNames } from '../names/resolve-names.ts';
import { readSparql, type SparqlQuery } from '../read-sparql.ts';
import { keepAnswers, neededAnswers, solutionsOf } from '../results/solutions.ts';
import type { SparqlResult } from '../results/sparql-result.ts';
import { formatsOf, type ResultFormat } from '../results/write-results.ts';
import type { ParsedText, TextUnits } from '../syntax/parsed-text.ts';
import { answerUpdate } from './answer-update.ts';
import { declareSparql } from './declarations.ts';
import { type GraphOptions, graphOptionsIn } from './graph-options.ts';
import { readRequest } from './read-request.ts';
import { serviceDescription } from './service-description.ts';

/** Reads a text by the grammar of SPARQL 1.1. */
export type ParseText = <Unit extends keyof TextUnits>(
  text: string,
  limits: TimeLimit,
  unit: Unit,
) => Promise<ParsedText<Unit>>;

/** How the protocol is answered. */
export interface SparqlPartOptions {
  /**
   * Reads a text by the grammar, as `parseSyntax` of `@fuzzqe/sparql/syntax` does. Default: here, where the first query holds the event
   * loop for a fifth of a second, and others for up to a tenth.
   *
   * @param limits until when, and for whom: what waits for its turn elsewhere is given up with them.
   * @param unit whether the text is a query or an update.
   * @throws FuzzError `query`, as `parseSyntax`; `interrupted`, `deadline`: the limits.
   */
  readonly parse?: ParseText;
  /** Evaluates queries that no degrees are asked of. Default: here, where the first such query loads the engine. */
  readonly evaluate?: Evaluate;
}

/**
 * The SPARQL 1.1 protocol as a part of the API: `/sparql` for the default model, `/v1/models/:name/sparql` for each.
 *
 * Results are JSON, XML, CSV or TSV, as the header `Accept` prefers, and JSON where it accepts none of them; a GET without
 * a query gets the service description in Turtle. What is wrong with a query is a problem with status 400.
 *
 * @throws FuzzError `usage`: an option.
 * @example
 * createApp(engine, { mount: [sparqlPart()] });
 */
export function sparqlPart(options: SparqlPartOptions = {}): ApiPart {
  checkOptions(options, { parse: aFunction, evaluate: aFunction });
  return {
    path: '/',
    endpoints: {
      'GET /sparql?query=, POST /sparql':
        'answers SPARQL 1.1 queries, with ?degree the best answers, and takes updates of facts; without a text: what it is',
    },
    declare: declareSparql,
    routes(context) {
      const routes = new Hono<ApiEnv>();
      const answer = (request: Context<ApiEnv>): Promise<Response> => respond(context, request, options);
      for (const path of ['/sparql', '/v1/models/:name/sparql']) routes.get(path, answer).post(path, answer);
      return routes;
    },
  };
}

/** The grammar of SPARQL is eighty modules: anyone who asks nothing in it does not load them. */
const parseHere: ParseText = async (text, _, unit) => {
  const { parseSyntax } = await import('../syntax/parse-syntax.ts');
  return parseSyntax(text, unit);
};

async function respond(
  parts: ApiContext,
  context: Context<ApiEnv>,
  { parse = parseHere, evaluate }: SparqlPartOptions,
): Promise<Response> {
  const { models, bodyLimit, timeout } = parts;
  const { raw } = context.req;
  const { searchParams } = new URL(raw.url);
  const sent = await readRequest(raw, searchParams, bodyLimit);
  const options = graphOptionsIn(searchParams);
  const lease = await models.acquire(context.req.param('name'));
  const { name: model, version, engine } = lease;
  try {
    context.set('subject', { model, version });
    const limits = limitsOf(context, timeout);
    if (sent === undefined) {
      const description = serviceDescription(engine, parts.facts !== undefined);
      return context.body(description, 200, { 'content-type': 'text/turtle; charset=utf-8' });
    }
    if (sent.unit === 'update') {
      const onCost = (cost: number): void => context.set('subject', { model, version, cost });
      return await answerUpdate(parts, context, {
        engine,
        text: sent.text,
        create: options.create,
        parse,
        limits,
        onCost,
      });
    }
    const parsed = await parse(sent.text, limits, 'query');
    const asked: AskedQuery = { ...parts, engine, parsed, limits, subject: { model, version, mode: 'sets' } };
    const isRanked = options.ranked || asksForDegrees(parsed);
    const answered = isRanked ? answerRanked(asked, context) : answerGraph(asked, context, options, evaluate);
    const { result, format } = await answered;
    context.header('vary', 'accept', { append: true });
    return context.body(await inTurns(format.write(result), limits), 200, {
      'content-type': format.contentType,
    });
  } catch (error) {
    throw asQueryError(error);
  } finally {
    lease.release();
  }
}

/** A query, and what it is answered with. */
interface AskedQuery extends Pick<ApiContext, 'maxK' | 'costLimit'> {
  readonly engine: Engine;
  readonly parsed: ParsedText;
  readonly limits: TimeLimit;
  readonly subject: RequestSubject;
}

/** What a query answers, and how it is written. */
interface Answered {
  readonly result: SparqlResult;
  readonly format: ResultFormat;
}

/** The best answers of a pattern. */
async function answerRanked(
  { engine, parsed, limits, subject, maxK, costLimit }: AskedQuery,
  context: Context<ApiEnv>,
): Promise<Answered> {
  const onCost = (cost: number): void => context.set('subject', { ...subject, cost });
  const { query, options, cost } = await readWithNames(
    engine.vocabulary,
    (names) => readSparql(parsed, names),
    { ...limits, costLimit, onCost },
    (query) => {
      const asked = answerOptions(engine, query, maxK);
      return { query, ...fitPatternCost(engine, query.pattern, asked, costLimit, 'query') };
    },
  );
  const tree = plainTree(planPattern(query.pattern));
  const structure = (tree && matchStructure(tree)?.structure.name) ?? 'other';
  context.set('subject', { ...subject, structure, cost });
  const format = formatFor(context, query.form === 'ask' ? 'boolean' : 'rows');
  const { rows, warnings } = await engine.match(query.pattern, { ...options, ...limits });
  for (const warning of warnings) context.header('fuzzqe-warning', warning, { append: true });
  return { result: await resultOf(engine, query, rows, limits), format };
}

/** What holds in the graph of recorded facts and likely links. */
async function answerGraph(
  { engine, parsed, limits, subject, maxK, costLimit }: AskedQuery,
  context: Context<ApiEnv>,
  { minDegree }: GraphOptions,
  run: Evaluate | undefined,
): Promise<Answered> {
  const tellCost = (cost: number): void => context.set('subject', { ...subject, structure: 'other', cost });
  checkGraphQuery(parsed);
  const query = await readWithNames(engine.vocabulary, (names) => resolveNames(parsed, names), {
    ...limits,
    costLimit,
    onCost: tellCost,
  });
  const { subType } = query;
  const format = formatFor(
    context,
    subType === 'select' ? 'rows' : subType === 'ask' ? 'boolean' : 'triples',
  );
  const { result, cost, warnings } = await answerGraphQuery(engine, query, {
    ...{ minDegree, maxK, costLimit, limits },
    ...(run === undefined ? {} : { evaluate: run }),
  });
  tellCost(cost);
  for (const warning of warnings) context.header('fuzzqe-warning', warning, { append: true });
  return { result, format };
}

/**
 * Answers a query by degrees: its rows, or for ASK whether there is an answer.
 *
 * @param most how many answers are looked at: the best.
 * @throws FuzzError: what `engine.match` throws.
 * @example
 * const result = await answerSparql(engine, parseSparql(text, engine.vocabulary), 100);
 */
export async function answerSparql(
  engine: Engine,
  query: SparqlQuery,
  most: number,
  limits: Partial<TimeLimit> = {},
): Promise<SparqlResult> {
  const { rows } = await engine.match(query.pattern, { ...answerOptions(engine, query, most), ...limits });
  return resultOf(engine, query, rows, limits);
}

async function resultOf(
  { vocabulary }: Engine,
  query: SparqlQuery,
  rows: readonly PatternRow[],
  limits: Partial<TimeLimit>,
): Promise<SparqlResult> {
  if (query.form === 'ask') return keepAnswers(query, rows).length > 0;
  return inTurns(solutionsOf(query, rows, vocabulary), limits);
}

function answerOptions({ facts }: Engine, query: SparqlQuery, most: number): PatternOptions {
  const { minDegree = query.ranked ? leastSuggestion : leastAnswer, exclude, pattern } = query;
  const all = pattern.answers.length === 1 ? facts.entityCount : mostTuples;
  const k = Math.max(1, neededAnswers(query, Math.min(most, all, mostTuples)));
  // Whatever is a row is an answer here, so that rows come in the order of their degrees.
  return { k, exclude, minDegree, suggestions: false };
}

/** Where the API says 422, the protocol says 400: the text cannot be answered as it is. */
function asQueryError(error: unknown): unknown {
  if (!(error instanceof FuzzError) || (error.code !== 'vocabulary' && error.code !== 'range')) return error;
  const { message, path, code } = error;
  const names = 'GET /v1/entities?q= and GET /v1/relations?q= search names.';
  const hints = [error.hint, code === 'vocabulary' ? names : undefined].filter((part) => part !== undefined);
  return new FuzzError('query', message, {
    ...(path === undefined ? {} : { path }),
    ...(hints.length === 0 ? {} : { hint: hints.join('\n') }),
    cause: error,
  });
}

/** The form that a client prefers among those that the result has; the default where it accepts none of them. */
function formatFor(context: Context<ApiEnv>, kind: ResultFormat['writes'][number]): ResultFormat {
  const usable = formatsOf(kind);
  return negotiateType(context.req.header('accept'), usable) ?? usable[0]!;
}
