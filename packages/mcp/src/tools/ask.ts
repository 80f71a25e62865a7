import { FuzzError, type Steps, schema, type Vocabulary } from '@fuzzqe/core';
import {
  formatQuery,
  matchStructure,
  type Pattern,
  patternOf,
  type Query,
  structureNames,
} from '@fuzzqe/core/query';
import { escapeControlCharacters } from '@fuzzqe/core/text';
import {
  type Answer,
  type AnswerOptions,
  answerModes,
  answerStates,
  checkCost,
  inTurns,
  readWithNames,
  stateWords,
} from '@fuzzqe/engine';
import { entityName } from '../names/name-text.ts';
import { queryHelp, readAsked, readGiven, shortDegree, shownQuery } from './given-query.ts';
import { matchPattern, table } from './match-pattern.ts';
import { defineTool, type OfferTool } from './tool.ts';

/** The most answers to one question: an assistant reads them all. */
const mostAnswers = 200;

/** The most operands that all answers together say something of: a conjunction may have a thousand. */
const mostOperands = 2000;

const degree = schema.number({ min: 0, max: 1 });

const listed = schema.object({
  id: schema.integer({ min: 0 }),
  key: schema.string,
  label: schema.string,
  name: schema.string,
  state: schema.optional(schema.oneOf(answerStates)),
  known: schema.optional(schema.boolean),
  degree: schema.optional(degree),
  score: schema.optional(schema.number()),
  operands: schema.optional(schema.array(schema.object({ degree, known: schema.boolean }))),
});

const output = schema.object({
  query: schema.string,
  structure: schema.nullable(schema.oneOf(structureNames)),
  mode: schema.oneOf(answerModes),
  /** Of a query, with the suggestions; a pattern, a count and an explanation have a table instead. */
  answers: schema.optional(schema.array(listed)),
  suggestions: schema.optional(schema.array(listed)),
  table: schema.optional(table),
  at: schema.optional(schema.string),
  warnings: schema.array(schema.string),
});

/** Answers a query or a pattern. */
export const ask: OfferTool = defineTool({
  name: 'ask',
  title: 'Ask the graph',
  description:
    'Answers a logical query, best answers first, by recorded facts and by links that the model predicts. Query text: an entity name, project(relation, query), and(query, …), or(query, …), not(query); names with spaces in double quotes, ^-1 after a relation to follow it backwards. Example: and(project(borders, France), not(project("uses currency"^-1, Euro))). Pattern text, for questions with several unknowns, cycles, yes or no: ?x, ?y : spouse(?x, ?y), works_for(?x, ?c), works_for(?y, ?c), not parent(?x, ?y); the variables before the colon are the columns of a table, and without them the answer is yes or no: borders(France, Spain). `answers` are what is recorded and what has a degree of at least 0.5; `suggestions` are less likely than that. The degree is how likely it is, from 0 to 1. `state` says how far recorded facts give it: recorded; doubted (recorded, but the model expects otherwise); partly predicted; predicted. Never state a predicted answer as a fact, and call no suggestion an answer.',
  input: {
    query: schema.anything,
    k: schema.optional(schema.integer({ min: 1, max: mostAnswers })),
    mode: schema.withDefault(schema.oneOf(answerModes), 'sets'),
    minDegree: schema.optional(degree),
    at: schema.optional(schema.string),
    exclude: schema.withDefault(schema.oneOf(['known', 'none']), 'none'),
    count: schema.optional(schema.boolean),
    explain: schema.optional(schema.boolean),
    filter: schema.optional(schema.anything),
  },
  help: {
    query: `${queryHelp} A pattern as JSON: {"select": ["?x"], "where": [{"link": relation, "from": "?x", "to": name}]}.`,
    k: 'How many answers and suggestions together. Default 10.',
    mode: 'sets (default): fuzzy logic over recorded and predicted links, with degrees; embedding: ranks by the embedding of the query, with scores that only order.',
    minDegree:
      'Which degree an entity needs to be an answer where it is not recorded, 0 to 1. Default 0.5. Mode sets.',
    at: 'A date as 2001, 2001-05 or 2001-05-31: only facts count that hold then. Default: all facts count. Mode sets.',
    exclude:
      'known: leave out what the recorded facts give, so that only predictions are left. Default none.',
    count:
      'For "how many": how many answers are recorded and how many are expected, with a table of some. Default false.',
    explain:
      'For "why": a table whose rows have the links that support them, each recorded or predicted, and the values of the other variables. Not with count. Default false.',
    filter:
      'A second query, as text or JSON: only what the recorded facts give to it may be an answer, as in project("in region"^-1, Africa). Queries only.',
  },
  output,
  async run(engine, { query: given, filter, k, count: counts, explain, ...options }, limits) {
    const { vocabulary } = engine;
    const { time, costLimit, onCost } = limits;
    const read = (names: Vocabulary) => ({
      query: readAsked(given, names, '$.query'),
      ...(filter === undefined ? {} : { filter: { query: readGiven(filter, names, '$.filter') } }),
    });
    const { query: asks, ...among } = await readWithNames(vocabulary, read, {
      ...time,
      costLimit,
      onCost,
      writesNames: true,
    });
    if ('where' in asks || counts === true || explain === true) {
      const { mode, ...others } = options;
      refuseOfPatterns({ mode: mode === 'sets' ? undefined : mode, filter });
      if (counts === true && explain === true)
        throw new FuzzError('usage', 'explain: expected none with count', {
          path: '$.explain',
          hint: 'Count first, and ask for the best answers with explain after it.',
        });
      const asked = {
        ...others,
        ...(k === undefined ? {} : { k }),
        count: counts === true,
        explain: explain === true,
      };
      const whole: Pattern = 'where' in asks ? asks : patternOf(asks);
      const { text, ...found } = await matchPattern(engine, whole, asked, limits);
      return {
        structured: { ...found, structure: null, mode: 'sets' as const, warnings: [...found.warnings] },
        text,
      };
    }
    const query = asks;
    const count = k ?? Math.min(10, vocabulary.entityCount);
    // The engine refuses what the mode does not have.
    const asked = {
      ...options,
      ...among,
      k: count,
    } as AnswerOptions;
    // Answers in mode `embedding` say nothing of operands, and there are no more answers than entities.
    const operands =
      query.op === 'and' && options.mode === 'sets'
        ? Math.min(count, vocabulary.entityCount) * query.operands.length
        : 0;
    if (operands > mostOperands)
      throw new FuzzError(
        'cost',
        `k: expected at most ${mostOperands} operands of all answers together, got ${operands}`,
        { path: '$.k', hint: 'Ask for fewer answers with k, or for parts of the query.' },
      );
    const cost = engine.costOf(query, asked);
    checkCost(query, cost, costLimit);
    onCost(cost);
    const answer = await engine.answer(query, { ...asked, ...time });
    const structured = {
      query: formatQuery(query, vocabulary),
      structure: matchStructure(query)?.structure.name ?? null,
      mode: answer.mode,
      ...(answer.mode === 'sets' && answer.at !== undefined ? { at: answer.at } : {}),
      answers: answer.answers.map((each) => ({ ...each, name: entityName(each.id, vocabulary) })),
      suggestions: (answer.mode === 'sets' ? answer.suggestions : []).map((each) => ({
        ...each,
        name: entityName(each.id, vocabulary),
      })),
      warnings: [...(answer.mode === 'sets' ? engine.warnings : []), ...answer.warnings],
    };
    return { structured, text: await inTurns(textOf(query, answer, structured, vocabulary), time) };
  },
});

/** What a query has and no pattern. */
function refuseOfPatterns(given: Readonly<Record<string, unknown>>): void {
  const [argument] = Object.keys(given).filter((name) => given[name] !== undefined);
  if (argument === undefined) return;
  throw new FuzzError('usage', `${argument}: expected none with a pattern, count or explain`, {
    path: `$.${argument}`,
    hint: argument === 'filter' ? 'Add a condition to the pattern: ?x in query.' : 'Leave it out.',
  });
}

/** A query's answer as it is told. */
interface Structured {
  readonly answers: readonly Listed[];
  readonly suggestions: readonly Listed[];
  readonly at?: string;
  readonly warnings: readonly string[];
}

type Listed = schema.Infer<typeof listed>;

function* textOf(
  query: Query,
  answer: Answer,
  structured: Structured,
  vocabulary: Vocabulary,
): Steps<string> {
  const { answers, suggestions, at, warnings } = structured;
  const lines: string[] = answers.length === 0 ? ['No answers.'] : [];
  for (const [i, each] of [...answers, ...suggestions].entries()) {
    yield;
    if (i === answers.length) lines.push('Suggestions, none likely enough to be an answer:');
    const { name, id, state, known, degree, score, operands } = each;
    const said = [
      state === undefined ? (known ? 'recorded' : 'predicted') : stateWords[state],
      degree === undefined ? `score ${score!.toFixed(3)}` : `degree ${shortDegree(degree)}`,
      ...(operands ?? []).map(
        (operand, at) => `[${at + 1}] ${shortDegree(operand.degree)}${operand.known ? '*' : ''}`,
      ),
    ];
    lines.push(`${i + 1}. ${name} (#${id}): ${said.join(', ')}`);
  }
  const legend =
    query.op === 'and' && answer.mode === 'sets' && answers.length + suggestions.length > 0
      ? [
          '',
          ...query.operands.map((operand, at) => `[${at + 1}] ${shownQuery(operand, vocabulary)}`),
          '* recorded',
        ]
      : [];
  return [
    `Query: ${shownQuery(query, vocabulary)}`,
    ...(at === undefined ? [] : [`Facts that hold at ${at}.`]),
    ...lines,
    ...legend,
    ...warnings.map((warning) => `Note: ${escapeControlCharacters(warning)}`),
  ].join('\n');
}
