import type { Vocabulary } from '@fuzzqe/core';
import { repeats, valueOperators } from '@fuzzqe/core/query';
import { type OpenApiObject, formNamed as of } from '../part/declaration.ts';

const object = (properties: OpenApiObject, optional: OpenApiObject = {}): OpenApiObject => ({
  type: 'object',
  properties: { ...properties, ...optional },
  required: Object.keys(properties),
  additionalProperties: false,
});
const list = (items: OpenApiObject, minItems: number, more: OpenApiObject = {}): OpenApiObject => ({
  ...{ type: 'array', items, minItems },
  ...more,
});

const text = { type: 'string', minLength: 1 };
const variable = { type: 'string', pattern: '^\\?[\\p{L}\\p{M}\\p{N}_]+$' };
const value = { type: ['number', 'boolean', 'string'] };
/** A disjunction as a tuple ends with [-1], which takes a form for each count of operands. */
const mostOperands = 3;

/** Queries and patterns in the forms that requests take; names and ids are those of the model. */
export function queryForms({
  entityCount,
  relationCount,
}: Pick<Vocabulary, 'entityCount' | 'relationCount'>): Readonly<Record<string, OpenApiObject>> {
  const idBelow = (count: number): OpenApiObject => ({ type: 'integer', minimum: 0, maximum: count - 1 });
  const steps = { type: 'array', items: { anyOf: [idBelow(relationCount), { const: -2 }] } };
  const tuple = (items: readonly OpenApiObject[]): OpenApiObject => ({
    ...{ type: 'array', prefixItems: items, items: false, minItems: items.length },
  });
  // At the end of a tuple a list of numbers is relations.
  const ids = list(idBelow(entityCount), 2);
  const operand = { anyOf: [of('Tuple'), ids] };
  const unions = Array.from({ length: mostOperands - 1 }, (_, i) =>
    tuple([...Array.from({ length: i + 2 }, () => operand), { const: [-1] }]),
  );
  return {
    Term: {
      description:
        'A variable as "?x"; an entity by its key, label or id; {"entity": …} where its name begins with a question mark.',
      anyOf: [
        variable,
        { type: 'string', pattern: '^[^?]' },
        idBelow(entityCount),
        object({ entity: of('Name') }),
      ],
    },
    Condition: {
      anyOf: [
        object(
          { link: of('RelationName'), from: of('Term'), to: of('Term') },
          {
            repeat: { enum: repeats, description: 'How often the relation is followed; once unless given.' },
          },
        ),
        object({ same: list(of('Term'), 2, { maxItems: 2 }) }),
        object({ in: of('QueryPart'), variable }),
        object({
          where: { ...text, description: 'A property whose values are literals.' },
          is: { enum: valueOperators },
          value: { anyOf: [value, list(value, 2, { maxItems: 2 })] },
          variable,
        }),
        object({ like: of('Name'), variable }),
        object({ not: of('Condition') }),
        ...['and', 'or'].map((op) => object({ [op]: list(of('Condition'), 2) })),
      ],
    },
    Pattern: {
      description:
        'A question about variables: text or JSON. Without answer variables it is a question of yes or no.',
      anyOf: [
        { ...text, description: 'The notation: ?x, ?y : r(?x, ?y), s(?x, a), not t(?y, b)' },
        object({ where: list(of('Condition'), 1) }, { select: { type: 'array', items: variable } }),
      ],
    },
    Name: { description: 'An entity by its key, label or id.', anyOf: [text, idBelow(entityCount)] },
    RelationName: {
      description: 'A relation by its key, label or id; with ^-1 after it its inverse.',
      anyOf: [text, idBelow(relationCount)],
    },
    Tuple: { anyOf: [idBelow(entityCount), of('TupleQuery')] },
    TupleQuery: {
      description: 'Ids as KGReasoning nests them. A list of several tuples is their conjunction.',
      anyOf: [tuple([operand, steps]), list(of('Tuple'), 2, { contains: { type: 'array' } }), ...unions],
    },
    QueryPart: {
      description: 'A logical query within another: text or JSON.',
      anyOf: [
        { ...text, description: 'The notation: and(project(r, a), not(project(s, b)))' },
        object({ entity: of('Name') }),
        object({ project: of('RelationName'), from: of('QueryPart') }),
        ...['and', 'or'].map((op) => object({ [op]: list(of('QueryPart'), 2) })),
        object({ not: of('QueryPart') }),
      ],
    },
    Query: {
      description: 'A logical query: text, JSON, or nested tuples of ids as KGReasoning writes them.',
      anyOf: [of('QueryPart'), of('TupleQuery'), ids],
    },
  };
}
