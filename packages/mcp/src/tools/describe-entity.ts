import { schema } from '@fuzzqe/core';
import { entityName, oneLine, readEntity, relationName } from '../names/name-text.ts';
import { defineTool, type OfferTool } from './tool.ts';

const named = schema.object({ id: schema.integer({ min: 0 }), label: schema.string, name: schema.string });

const output = schema.object({
  id: schema.integer({ min: 0 }),
  key: schema.string,
  label: schema.string,
  name: schema.string,
  description: schema.optional(schema.string),
  facts: schema.integer({ min: 0 }),
  relations: schema.array(
    schema.object({
      id: schema.integer({ min: 0 }),
      name: schema.string,
      count: schema.integer({ min: 1 }),
      entities: schema.array(named),
    }),
  ),
  relationCount: schema.integer({ min: 0 }),
});

/** Says what is recorded of an entity. */
export const describeEntity: OfferTool = defineTool({
  name: 'describe_entity',
  title: 'Describe an entity',
  description:
    'What the graph records of one entity: its names, and for every relation (^-1 for those that lead to it) the entities at the other end. To see all of them, or what the model predicts beyond them, `ask` project(relation, entity).',
  input: {
    entity: schema.union([schema.string, schema.integer()]),
    relations: schema.withDefault(schema.integer({ min: 1, max: 200 }), 20),
    each: schema.withDefault(schema.integer({ min: 1, max: 100 }), 5),
  },
  help: {
    entity: 'Its label, its key, its id, or its name as a query writes it.',
    relations: 'The most relations to show. Default 20.',
    each: 'The most entities to show of each relation. Default 5.',
  },
  output,
  run({ vocabulary, facts }, { entity, relations: most, each }) {
    const id = readEntity(entity, vocabulary, '$.entity');
    const name = entityName(id, vocabulary);
    const { key, label, description } = vocabulary.entity(id);
    const all = facts.relationsOf(id);
    const relations = Array.from(all.subarray(0, most), (relation) => {
      const tails = facts.tails(id, relation);
      return {
        id: relation,
        name: relationName(relation, vocabulary),
        count: tails.length,
        entities: Array.from(tails.subarray(0, each), (tail) => ({
          id: tail,
          label: vocabulary.entity(tail).label,
          name: entityName(tail, vocabulary),
        })),
      };
    });
    const structured = {
      id,
      key,
      label,
      name,
      ...(description === undefined ? {} : { description }),
      facts: facts.degree(id),
      relations,
      relationCount: all.length,
    };
    const lines = [
      `${name} (#${id}${key === label ? '' : `, key ${oneLine(key, 80)}`})`,
      ...(description === undefined ? [] : [oneLine(description)]),
      `${structured.facts} recorded facts:`,
      ...relations.map(({ name, count, entities }) => {
        const left = count - entities.length;
        const shown = entities.map((other) => other.name).join(', ');
        return `- ${name} → ${shown}${left > 0 ? ` and ${left} more` : ''}`;
      }),
    ];
    if (all.length > most) lines.push(`There are ${all.length - most} more relations.`);
    return { structured, text: lines.join('\n') };
  },
});
