import { FuzzError, type Steps, schema } from '@fuzzqe/core';
import { inTurns, provenanceText, readWithNames } from '@fuzzqe/engine';
import { type AttributeValue, aliasKinds, attributeTypes } from '@fuzzqe/names';
import { entityName, oneLine, readEntity, relationName } from '../names/name-text.ts';
import { shortDegree } from './given-query.ts';
import { defineTool, type OfferTool } from './tool.ts';

const degree = schema.number({ min: 0, max: 1 });
const named = {
  id: schema.integer({ min: 0 }),
  key: schema.string,
  label: schema.string,
  name: schema.string,
};

const output = schema.object({
  ...named,
  description: schema.optional(schema.string),
  names: schema.optional(
    schema.object({
      total: schema.integer({ min: 0 }),
      results: schema.array(
        schema.object({ kind: schema.oneOf(aliasKinds), language: schema.string, text: schema.string }),
      ),
    }),
  ),
  attributes: schema.optional(
    schema.object({
      total: schema.integer({ min: 0 }),
      results: schema.array(
        schema.object({
          key: schema.string,
          label: schema.string,
          type: schema.oneOf(attributeTypes),
          language: schema.string,
          unit: schema.string,
          value: schema.string,
        }),
      ),
    }),
  ),
  facts: schema.integer({ min: 0 }),
  relationCount: schema.integer({ min: 0 }),
  relations: schema.array(
    schema.object({
      id: schema.integer({ min: 0 }),
      name: schema.string,
      count: schema.integer({ min: 0 }),
      recorded: schema.array(schema.object({ ...named, from: schema.optional(schema.string) })),
      predicted: schema.array(schema.object({ ...named, degree })),
    }),
  ),
});

/** The most entities to show of all relations: an assistant reads them all. */
const mostShown = 2000;

/** Says what is recorded of an entity, and what the model predicts. */
export const describeEntity: OfferTool = defineTool({
  name: 'describe_entity',
  title: 'Describe an entity',
  description:
    'One entity: its names and attributes, and for each relation (^-1 for those that lead to it) the entities that the graph records and the best that the model predicts beyond them. To see all of them, `ask` project(relation, entity).',
  input: {
    entity: schema.union([schema.string, schema.integer()]),
    relations: schema.withDefault(schema.integer({ min: 1, max: 64 }), 16),
    offset: schema.withDefault(schema.integer({ min: 0 }), 0),
    recorded: schema.withDefault(schema.integer({ min: 0, max: 100 }), 5),
    predicted: schema.withDefault(schema.integer({ min: 0, max: 20 }), 2),
  },
  help: {
    entity: 'Its label, its key, its id, or its name as a query writes it.',
    relations: 'The most relations to show, those with most facts first. Default 16.',
    offset: 'How many relations to pass over. Default 0.',
    recorded: 'The most recorded entities to show of each relation. Default 5.',
    predicted: 'The most predicted entities to show of each relation. Default 2; 0 is fastest.',
  },
  output,
  meant: { '$.limit': 'relations', '$.query': 'entity' },
  async run(engine, { entity, relations: most, offset, recorded, predicted }, { time, costLimit, onCost }) {
    const { vocabulary } = engine;
    const nameOf = <T extends { readonly id: number }>(each: T): T & { readonly name: string } => ({
      ...each,
      name: entityName(each.id, vocabulary),
    });
    const id = await readWithNames(vocabulary, (names) => readEntity(entity, names), {
      ...time,
      costLimit,
      onCost,
      writesNames: true,
    });
    const options = { limit: most, offset, recorded, predicted, costLimit, onCost, ...time };
    const { relations, ...page } = await engine.describeEntity(id, options);
    const shown = relations.results.reduce(
      (sum, each) => sum + each.recorded.results.length + each.predicted.length,
      0,
    );
    if (shown > mostShown)
      throw new FuzzError(
        'cost',
        `recorded: expected at most ${mostShown} entities of all relations together, got ${shown}`,
        {
          path: '$.recorded',
          hint: 'Ask for fewer relations at once and go on by offset, or for fewer entities of each.',
        },
      );
    function* naming(): Steps<schema.Infer<typeof output>['relations'][number][]> {
      const named: schema.Infer<typeof output>['relations'][number][] = [];
      for (const each of relations.results) {
        named.push({
          id: each.relation.id,
          name: relationName(each.relation.id, vocabulary),
          count: each.recorded.total,
          recorded: each.recorded.results.map(({ provenance, ...entity }) => ({
            ...nameOf(entity),
            ...(provenance === undefined ? {} : { from: provenanceText(provenance) }),
          })),
          predicted: each.predicted.map(nameOf),
        });
        yield;
      }
      return named;
    }
    const structured = {
      ...nameOf(page),
      relationCount: relations.total,
      relations: await inTurns(naming(), time),
    };
    return { structured, text: await inTurns(textOf(structured, offset), time) };
  },
});

/** A value with its unit or language. */
function valueText({ value, unit, language }: AttributeValue): string {
  return `${value}${unit === '' ? '' : ` ${unit}`}${language === '' ? '' : ` @${language}`}`;
}

function* textOf(
  { id, key, label, name, description, names, attributes, facts, ...page }: schema.Infer<typeof output>,
  offset: number,
): Steps<string> {
  const { relations, relationCount } = page;
  const lines: string[] = [];
  for (const { name, count, recorded, predicted } of relations) {
    yield;
    const more = count - recorded.length;
    const parts = [
      count === 0
        ? 'nothing recorded'
        : recorded
            .map((each) => (each.from === undefined ? each.name : `${each.name} (${each.from})`))
            .join(', '),
      ...(more > 0 ? [`and ${more} more`] : []),
      ...(predicted.length === 0
        ? []
        : [`(predicted: ${predicted.map((each) => `${each.name} ${shortDegree(each.degree)}`).join(', ')})`]),
    ];
    lines.push(`- ${name} → ${parts.join(' ')}`);
  }
  const left = relationCount - offset - relations.length;
  return [
    `${name} (#${id}${key === label ? '' : `, key ${oneLine(key, 80)}`})`,
    ...(description === undefined ? [] : [oneLine(description)]),
    ...(names === undefined
      ? []
      : [`Further names: ${names.results.map(({ text }) => oneLine(text, 80)).join('; ')}`]),
    ...(attributes?.results ?? []).map(
      (each) => `- ${oneLine(each.label, 80)}: ${oneLine(valueText(each))} (${each.type})`,
    ),
    `${facts} recorded facts. Relations:`,
    ...lines,
    ...(left > 0 ? [`There are ${left} more relations: offset ${offset + relations.length}.`] : []),
  ].join('\n');
}
