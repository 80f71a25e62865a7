import { type EntityId, FuzzError, schema, type Vocabulary } from '@fuzzqe/core';
import {
  formatPattern,
  formatQuery,
  maxPatternVariables,
  type Pattern,
  type Query,
} from '@fuzzqe/core/query';
import { escapeControlCharacters } from '@fuzzqe/core/text';
import {
  answerStates,
  checkCost,
  type Engine,
  fitPatternCost,
  readWithNames,
  stateWords,
} from '@fuzzqe/engine';
import { readEntity } from '../names/name-text.ts';
import { queryHelp, readAsked, shortDegree, shownQuery } from './given-query.ts';
import { linkLines, namedEntity, namedLinks, nameLink, nameOf } from './named-links.ts';
import { nameSupport, rowSupport, supportLines } from './row-support.ts';
import { type CallLimits, defineTool, type OfferTool, type ToolResult } from './tool.ts';

const degree = schema.number({ min: 0, max: 1 });

const output = schema.object({
  query: schema.string,
  /** Of a query. */
  entity: schema.optional(namedEntity),
  /** The entities of the columns of a pattern. */
  entities: schema.optional(schema.array(namedEntity)),
  degree,
  state: schema.nullable(schema.oneOf(answerStates)),
  links: schema.optional(namedLinks),
  support: schema.optional(rowSupport),
  /** Of a query; a pattern has the support instead. */
  parts: schema.optional(
    schema.array(
      schema.object({
        path: schema.string,
        best: schema.array(
          schema.object({
            ...{ id: schema.integer({ min: 0 }), label: schema.string, name: schema.string },
            ...{ degree, known: schema.boolean },
          }),
        ),
      }),
    ),
  ),
  warnings: schema.optional(schema.array(schema.string)),
});

const name = schema.union([schema.string, schema.integer()]);

/** Says why an entity answers a query, or a tuple a pattern. */
export const explainAnswer: OfferTool = defineTool({
  name: 'explain_answer',
  title: 'Explain an answer',
  description:
    'Why an entity answers a query, or a row a pattern: the links that support it, each recorded or predicted with a degree. Call it before you state an answer that is predicted, or when an answer surprises.',
  input: {
    query: schema.anything,
    entity: schema.optional(
      schema.union([schema.string, schema.integer(), schema.array(name, { max: maxPatternVariables })]),
    ),
  },
  help: {
    query: `${queryHelp} Or a pattern, as ask takes it.`,
    entity:
      'The answer: its label, its key, its id, or its name as a query writes it. Of a pattern with several columns, a list with an entity for each column; of a question of yes or no, none.',
  },
  output,
  meant: { '$.tuple': 'entity' },
  async run(engine, { query: given, entity = [] }, limits) {
    const { vocabulary } = engine;
    const { time, costLimit, onCost } = limits;
    const names = Array.isArray(entity) ? entity : [entity];
    const read = (known: Vocabulary) => ({
      asked: readAsked(given, known, '$.query'),
      ids: names.map((each) => readEntity(each, known)),
    });
    const { asked, ids } = await readWithNames(vocabulary, read, {
      ...time,
      costLimit,
      onCost,
      writesNames: true,
    });
    if ('where' in asked) return explainTuple(engine, asked, ids, limits);
    return explainEntity(engine, asked, ids, limits);
  },
});

type Found = schema.Infer<typeof output>;

async function explainTuple(
  engine: Engine,
  pattern: Pattern,
  tuple: readonly EntityId[],
  { time, costLimit, onCost }: CallLimits,
): Promise<ToolResult<Found>> {
  const { vocabulary } = engine;
  // The tuple is an answer whatever its degree, as far as it has a degree.
  const wanted = { k: 1, minDegree: 0, explain: true, tuple };
  const { options, cost } = fitPatternCost(engine, pattern, wanted, costLimit, '$.query');
  onCost(cost);
  const { rows, columns, warnings } = await engine.match(pattern, { ...options, ...time });
  const [row] = rows;
  const support = row === undefined ? undefined : nameSupport(row, vocabulary);
  const entities = tuple.map((id) => nameOf({ id, ...vocabulary.entity(id) }, vocabulary));
  const structured = {
    query: formatPattern(pattern, vocabulary),
    entities,
    degree: row?.degree ?? 0,
    state: row?.state ?? null,
    ...(support === undefined ? {} : { support }),
    warnings: [...warnings],
  };
  const { query, degree, state } = structured;
  const tupleText = entities.map(({ name }, i) => `?${columns[i]} = ${name}`).join(', ') || 'Yes or no';
  const text = [
    `Pattern: ${escapeControlCharacters(query)}`,
    `${tupleText}: ${verdict(degree, state)}`,
    ...(support === undefined ? [] : supportLines(support)),
    ...warnings.map((warning) => `Note: ${escapeControlCharacters(warning)}`),
  ];
  return { structured, text: text.join('\n') };
}

async function explainEntity(
  engine: Engine,
  query: Query,
  ids: readonly EntityId[],
  { time, costLimit, onCost }: CallLimits,
): Promise<ToolResult<Found>> {
  const { vocabulary } = engine;
  const [id] = ids;
  if (id === undefined || ids.length > 1)
    throw new FuzzError('usage', `entity: expected one entity, got ${ids.length}`, {
      path: '$.entity',
      hint: 'A query has one entity as an answer; a pattern has one for each column.',
    });
  const options = { k: 1, minDegree: 0, explain: true, filter: { ids: [id] } };
  const cost = engine.costOf(query, options);
  checkCost(query, cost, costLimit);
  onCost(cost);
  const { answers, parts = [] } = await engine.answer(query, { ...options, ...time });
  const [answer] = answers;
  const entity = nameOf({ id, ...vocabulary.entity(id) }, vocabulary);
  const structured = {
    query: formatQuery(query, vocabulary),
    entity,
    degree: answer?.degree ?? 0,
    state: answer?.state ?? null,
    links: (answer?.links ?? []).map((link) => nameLink(link, vocabulary)),
    parts: parts.map(({ path, best }) => ({
      path,
      best: best.map((each) => ({ ...nameOf(each, vocabulary), degree: each.degree, known: each.known })),
    })),
  };
  const { degree, state, links } = structured;
  const text = [
    `Query: ${shownQuery(query, vocabulary)}`,
    `${entity.name} (#${id}): ${verdict(degree, state)}`,
    ...(links.length === 0 ? [] : ['Links:']),
    ...linkLines(links),
    ...partLines(structured.parts),
  ];
  return { structured, text: text.join('\n') };
}

function verdict(degree: number, state: Found['state']): string {
  return state === null
    ? 'it does not answer: degree 0'
    : `${stateWords[state]}, degree ${shortDegree(degree)}`;
}

/** The most entities of a part that a text lists. */
const shown = 5;

function partLines(parts: NonNullable<Found['parts']>): string[] {
  return [
    'Parts of the query and their best entities:',
    ...parts.map(({ path, best }) => {
      const list = best
        .slice(0, shown)
        .map(({ name, degree, known }) => `${name} ${shortDegree(degree)}${known ? '*' : ''}`);
      return `- ${escapeControlCharacters(path)}: ${list.length === 0 ? 'none' : list.join(', ')}`;
    }),
    '* recorded',
  ];
}
