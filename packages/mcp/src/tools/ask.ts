import { FuzzError, type Steps, schema, type Vocabulary } from '@fuzzqe/core';
import { formatQuery, matchStructure, type Query, structureNames } from '@fuzzqe/core/query';
import { escapeControlCharacters } from '@fuzzqe/core/text';
import {
  type Answer,
  type AnswerOptions,
  answerModes,
  checkCost,
  inTurns,
  readWithNames,
} from '@fuzzqe/engine';
import { entityName } from '../names/name-text.ts';
import { queryHelp, readGiven, shortDegree, shownQuery } from './given-query.ts';
import { defineTool, type OfferTool } from './tool.ts';

/** The most answers to one question: an assistant reads them all. */
const mostAnswers = 200;

/** The most operands that all answers together say something of: a conjunction may have a thousand. */
const mostOperands = 2000;

const degree = schema.number({ min: 0, max: 1 });

const output = schema.object({
  query: schema.string,
  structure: schema.nullable(schema.oneOf(structureNames)),
  mode: schema.oneOf(answerModes),
  answers: schema.array(
    schema.object({
      id: schema.integer({ min: 0 }),
      key: schema.string,
      label: schema.string,
      name: schema.string,
      known: schema.boolean,
      degree: schema.optional(degree),
      score: schema.optional(schema.number()),
      probability: schema.optional(degree),
      operands: schema.optional(schema.array(schema.object({ degree, known: schema.boolean }))),
    }),
  ),
  warnings: schema.array(schema.string),
});

/** Answers a query. */
export const ask: OfferTool = defineTool({
  name: 'ask',
  title: 'Ask the graph',
  description:
    'Answers a logical query, best answers first, by recorded facts and by links that the model predicts. Query text: an entity name, project(relation, query), and(query, …), or(query, …), not(query); names with spaces in double quotes, ^-1 after a relation to follow it backwards. Example: and(project(borders, France), not(project("uses currency"^-1, Euro))). Each answer says whether it is recorded (`known`) or predicted, and its degree of truth from 0 to 1. Never state a predicted answer as a fact.',
  input: {
    query: schema.anything,
    k: schema.optional(schema.integer({ min: 1, max: mostAnswers })),
    mode: schema.withDefault(schema.oneOf(answerModes), 'sets'),
    minDegree: schema.optional(degree),
    exclude: schema.withDefault(schema.oneOf(['known', 'none']), 'none'),
    filter: schema.optional(schema.anything),
    probability: schema.optional(schema.boolean),
  },
  help: {
    query: queryHelp,
    k: 'How many answers. Default 10.',
    mode: 'sets (default): fuzzy logic over recorded and predicted links, with degrees; embedding: ranks by the embedding of the query, with scores that only order.',
    minDegree:
      'The lowest degree of an answer, 0 to 1: for the set of answers and not the k best. Mode sets.',
    exclude:
      'known: leave out what the recorded facts give, so that only predictions are left. Default none.',
    filter:
      'A second query, as text or JSON: only what the recorded facts give to it may be an answer, as in project("in region"^-1, Africa).',
    probability: 'Say how likely a predicted link is to be a fact, for queries of one relation. Mode sets.',
  },
  output,
  async run(engine, { query: given, filter, k, ...options }, { time, costLimit, onCost }) {
    const { vocabulary } = engine;
    const read = (names: Vocabulary) => ({
      query: readGiven(given, names, '$.query'),
      ...(filter === undefined ? {} : { filter: { query: readGiven(filter, names, '$.filter') } }),
    });
    const { query, ...among } = await readWithNames(vocabulary, read, {
      ...time,
      costLimit,
      onCost,
      writesNames: true,
    });
    const count = k ?? Math.min(10, vocabulary.entityCount);
    // The engine refuses what the mode does not have.
    const asked = {
      ...options,
      ...among,
      k: count,
    } as AnswerOptions;
    // Answers by the embedding say nothing of operands, and there are no more answers than entities.
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
      answers: answer.answers.map((each) => ({ ...each, name: entityName(each.id, vocabulary) })),
      warnings: [...(answer.mode === 'sets' ? engine.warnings : []), ...answer.warnings],
    };
    return { structured, text: await inTurns(textOf(query, answer, structured, vocabulary), time) };
  },
});

type Structured = schema.Infer<typeof output>;

function* textOf(
  query: Query,
  answer: Answer,
  structured: Structured,
  vocabulary: Vocabulary,
): Steps<string> {
  const { answers, warnings } = structured;
  const lines: string[] = [];
  for (const [i, each] of answers.entries()) {
    yield;
    const { name, id, known, degree, score, probability, operands } = each;
    const said = [
      known ? 'recorded' : 'predicted',
      degree === undefined ? `score ${score!.toFixed(3)}` : `degree ${shortDegree(degree)}`,
      ...(probability === undefined ? [] : [`likely ${shortDegree(probability)}`]),
      ...(operands ?? []).map(
        (operand, at) => `[${at + 1}] ${shortDegree(operand.degree)}${operand.known ? '*' : ''}`,
      ),
    ];
    lines.push(`${i + 1}. ${name} (#${id}): ${said.join(', ')}`);
  }
  const legend =
    query.op === 'and' && answer.mode === 'sets' && answers.length > 0
      ? [
          '',
          ...query.operands.map((operand, at) => `[${at + 1}] ${shownQuery(operand, vocabulary)}`),
          '* recorded',
        ]
      : [];
  return [
    `Query: ${shownQuery(query, vocabulary)}`,
    ...(lines.length === 0 ? ['No answers.'] : lines),
    ...legend,
    ...warnings.map((warning) => `Note: ${escapeControlCharacters(warning)}`),
  ].join('\n');
}
