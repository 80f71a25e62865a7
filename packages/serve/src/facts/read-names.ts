import { checkMediaType, lineTypes, parseJsonBytes, readBody } from '@fuzzqe/api';
import { FuzzError, schema } from '@fuzzqe/core';
import { aliasFields, factFields, valueFields } from '@fuzzqe/facts';
import type { ChangedEntity, GivenValue } from '@fuzzqe/facts/apply';
import { type ChangesLimits, createEachReader, readEachLine, tooMany } from './read-each.ts';

const { head: text } = factFields;

const literal = schema.union([valueFields.value, schema.number(), schema.boolean]);
const valueSchema: schema.Schema<GivenValue> = schema.union([
  literal,
  schema.object({
    value: literal,
    type: schema.optional(valueFields.type),
    language: schema.optional(valueFields.language),
    unit: schema.optional(valueFields.unit),
  }),
]);
const aliasSchema = schema.union([
  text,
  schema.object({
    text,
    language: schema.withDefault(aliasFields.language, ''),
    kind: schema.withDefault(aliasFields.kind, 'alias'),
  }),
]);

type GivenAlias = string | schema.ObjectOf<typeof aliasFields>;
interface GivenEntity {
  readonly entity: string | number;
  readonly label?: string | null;
  readonly aliases?: readonly GivenAlias[] | null;
  readonly attributes?: Readonly<Record<string, GivenValue | readonly GivenValue[] | null>>;
}

/** Reads what is changed of an entity. */
export const entitySchema: schema.Schema<GivenEntity> = schema.checked(
  schema.object({
    entity: schema.union([text, schema.integer({ min: 0 })]),
    label: schema.optional(schema.nullable(text)),
    aliases: schema.optional(schema.nullable(schema.array(aliasSchema))),
    attributes: schema.optional(
      schema.record(schema.nullable(schema.union([valueSchema, schema.array(valueSchema)]))),
    ),
  }),
  ({ label, aliases, attributes }, report) => {
    if (label === undefined && aliases === undefined && attributes === undefined)
      report([], 'label, aliases or attributes', 'an entity alone');
    const bad = Object.keys(attributes ?? {}).find((key) => schema.issuesOf(text, key).length > 0);
    if (bad !== undefined) report(['attributes'], 'attributes with a name', 'an empty or too long name');
  },
);
const howTo =
  'Send an object, an array of objects or an object a line, as {"entity": "France", "label": "France (country)"}.';

/**
 * Reads the changes of names of a request: a JSON object, an array of objects, or lines of JSON.
 *
 * @throws RequestError `media-type`, `too-large`, `encoding` or `syntax`. FuzzError `usage`: an invalid change, each with its place.
 */
export async function readNames(request: Request, limits: ChangesLimits): Promise<readonly ChangedEntity[]> {
  const type = checkMediaType(request.headers, ['application/json', ...lineTypes]);
  const bytes = await readBody(request, limits.batch.body, howTo);
  const change = createEachReader({ reader: entitySchema, what: 'entity', howTo }, {});
  if (type === 'application/json') {
    const body = await parseJsonBytes(bytes, limits.time, 'body', howTo);
    if (!Array.isArray(body)) change.read(body, '$');
    else if (body.length > limits.batch.lines) throw tooMany(limits.batch.lines);
    else for (const [i, each] of body.entries()) change.read(each, `$[${i}]`);
  } else await readEachLine(bytes, change, { ...limits, howTo });
  const changes = change.done().map(changedEntity);
  if (changes.length > 0) return changes;
  throw new FuzzError('usage', 'entities: expected at least one change, got none', { hint: howTo });
}

function changedEntity({
  place,
  entity,
  label,
  aliases,
  attributes,
}: GivenEntity & { readonly place: string }): ChangedEntity {
  return {
    place,
    entity: typeof entity === 'number' ? `#${entity}` : entity,
    ...(label === undefined ? {} : { label }),
    ...(aliases === undefined ? {} : { aliases: aliases === null ? null : aliases.map(aliasOf) }),
    ...(attributes === undefined
      ? {}
      : {
          attributes: Object.entries(attributes).map(([key, values]) => ({
            key,
            values: values === null ? null : [values].flat(),
          })),
        }),
  };
}

function aliasOf(given: GivenAlias) {
  return typeof given === 'string' ? { kind: 'alias' as const, language: '', text: given } : given;
}
