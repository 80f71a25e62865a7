import { schema, type Vocabulary } from '@fuzzqe/core';
import { formatQuery } from '@fuzzqe/core/query';
import { escapeControlCharacters } from '@fuzzqe/core/text';
import { answerStates, checkCost, readWithNames, reasonTexts, stateWords } from '@fuzzqe/engine';
import { entityName, readEntity, relationName } from '../names/name-text.ts';
import { queryHelp, readGiven, shortDegree, shownQuery } from './given-query.ts';
import { defineTool, type OfferTool } from './tool.ts';

const degree = schema.number({ min: 0, max: 1 });
const named = { id: schema.integer({ min: 0 }), label: schema.string, name: schema.string };

const output = schema.object({
  query: schema.string,
  entity: schema.object(named),
  degree,
  state: schema.nullable(schema.oneOf(answerStates)),
  links: schema.array(
    schema.object({
      head: schema.object(named),
      relation: schema.string,
      tail: schema.object(named),
      recorded: schema.boolean,
      degree,
      for: schema.array(schema.string),
      against: schema.array(schema.string),
    }),
  ),
  parts: schema.array(
    schema.object({
      path: schema.string,
      best: schema.array(schema.object({ ...named, degree, known: schema.boolean })),
    }),
  ),
});

/** Says why an entity answers a query. */
export const explainAnswer: OfferTool = defineTool({
  name: 'explain_answer',
  title: 'Explain an answer',
  description:
    'Why an entity answers a query: the links that support it, each recorded or predicted with a degree, and what every part of the query holds. Call it before you state an answer that is predicted, or when an answer surprises.',
  input: {
    query: schema.anything,
    entity: schema.union([schema.string, schema.integer()]),
  },
  help: {
    query: queryHelp,
    entity: 'The answer: its label, its key, its id, or its name as a query writes it.',
  },
  output,
  async run(engine, { query: given, entity }, { time, costLimit, onCost }) {
    const { vocabulary } = engine;
    const read = (names: Vocabulary) => ({
      query: readGiven(given, names, '$.query'),
      id: readEntity(entity, names),
    });
    const { query, id } = await readWithNames(vocabulary, read, {
      ...time,
      costLimit,
      onCost,
      writesNames: true,
    });
    const nameOf = ({ id, label }: { readonly id: number; readonly label: string }) => ({
      id,
      label,
      name: entityName(id, vocabulary),
    });
    const options = { k: 1, minDegree: 0, explain: true, filter: { ids: [id] } };
    const cost = engine.costOf(query, options);
    checkCost(query, cost, costLimit);
    onCost(cost);
    const { answers, parts = [] } = await engine.answer(query, { ...options, ...time });
    const [answer] = answers;
    const structured = {
      query: formatQuery(query, vocabulary),
      entity: nameOf({ id, label: vocabulary.entity(id).label }),
      degree: answer?.degree ?? 0,
      state: answer?.state ?? null,
      links: (answer?.links ?? []).map((link) => ({
        head: nameOf(link.head),
        relation: relationName(link.relation.id, vocabulary),
        tail: nameOf(link.tail),
        recorded: link.recorded,
        degree: link.degree,
        ...reasonTexts(link),
      })),
      parts: parts.map(({ path, best }) => ({
        path,
        best: best.map((each) => ({ ...nameOf(each), degree: each.degree, known: each.known })),
      })),
    };
    return { structured, text: textOf(structured, shownQuery(query, vocabulary)) };
  },
});

/** The most entities of a part that a text lists. */
const shown = 5;

function textOf({ entity, degree, state, links, parts }: schema.Infer<typeof output>, query: string): string {
  const verdict =
    state === null ? 'it does not answer: degree 0' : `${stateWords[state]}, degree ${shortDegree(degree)}`;
  return [
    `Query: ${query}`,
    `${entity.name} (#${entity.id}): ${verdict}`,
    ...(links.length === 0 ? [] : ['Links:']),
    ...links.flatMap(({ head, relation, tail, recorded, degree, for: reasons, against }) => [
      `- ${head.name} → ${relation} → ${tail.name}: ${recorded ? 'recorded' : `predicted, degree ${shortDegree(degree)}`}`,
      ...reasons.map((text) => `  for: ${escapeControlCharacters(text)}`),
      ...against.map((text) => `  against: ${escapeControlCharacters(text)}`),
    ]),
    'Parts of the query and their best entities:',
    ...parts.map(({ path, best }) => {
      const list = best
        .slice(0, shown)
        .map(({ name, degree, known }) => `${name} ${shortDegree(degree)}${known ? '*' : ''}`);
      return `- ${escapeControlCharacters(path)}: ${list.length === 0 ? 'none' : list.join(', ')}`;
    }),
    '* recorded',
  ].join('\n');
}
