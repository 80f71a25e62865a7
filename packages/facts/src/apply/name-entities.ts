import { describeValue, FuzzError, type FuzzErrorCode, type Vocabulary } from '@fuzzqe/core';
import type { AttributeColumn, PropertyValue } from '@fuzzqe/names';
import type { EntityNames } from '../store/entity-names.ts';
import { type BadChange, badChanges } from './bad-changes.ts';
import { entityKey } from './name-facts.ts';

/** A value of an attribute as a request gives it: a literal, or with what tells its column from others of the attribute. */
export type GivenValue = Literal | ({ readonly value: Literal } & Partial<Omit<PropertyValue, 'value'>>);
type Literal = string | number | boolean;

/** A change of an entity by a name of a request, and where the change stands there. */
export interface ChangedEntity extends Pick<EntityNames, 'label' | 'aliases'> {
  /** As `line 3` or `$[2]`. */
  readonly place: string;
  readonly entity: string;
  readonly attributes?: readonly { readonly key: string; readonly values: readonly GivenValue[] | null }[];
}

/**
 * Changes by the keys of a graph, from names as queries have them. A value gets the column of its attribute whose type fits; an attribute
 * that the graph lacks gets a column of its own.
 *
 * @param columns of the attributes as they are now.
 * @throws FuzzError `vocabulary`: names that the graph lacks. `usage`: an entity twice, or a value of another type; each with its place.
 */
export function nameEntities(
  vocabulary: Vocabulary,
  columns: readonly AttributeColumn[],
  changes: readonly ChangedEntity[],
): EntityNames[] {
  const bad: BadChange[] = [];
  const hints = new Set<string>();
  const codes = new Set<FuzzErrorCode>();
  const places = new Map<string, string>();
  const named: EntityNames[] = [];
  for (const { place, entity, attributes, ...names } of changes)
    try {
      const key = entityKey(vocabulary, entity);
      const earlier = places.get(key);
      if (earlier !== undefined)
        throw refusal(`expected each entity once, got ${JSON.stringify(key)} at ${earlier} as well`);
      places.set(key, place);
      named.push({
        key,
        ...names,
        ...(attributes === undefined
          ? {}
          : {
              attributes: attributes.map(({ key: property, values }) => ({
                key: property,
                values: values?.map((value) => propertyValue(property, value, columns)) ?? null,
              })),
            }),
      });
    } catch (error) {
      if (!(error instanceof FuzzError)) throw error;
      bad.push({ place, message: error.message });
      codes.add(error.code);
      if (error.hint !== undefined) hints.add(error.hint);
    }
  if (bad.length === 0) return named;
  throw badChanges(
    codes.size === 1 ? [...codes][0]! : 'usage',
    bad,
    [...hints].slice(0, 3).join(' ') || 'Put all changes of an entity into one object.',
    'entity',
  );
}

/** A value with its column. Throws: `usage`. */
function propertyValue(key: string, given: GivenValue, columns: readonly AttributeColumn[]): PropertyValue {
  const { value, ...wanted } = typeof given === 'object' ? given : { value: given };
  const { type, language, unit } = wanted;
  const possible = columns.filter(
    (column) =>
      column.key === key &&
      (type ?? column.type) === column.type &&
      (language ?? column.language) === column.language &&
      (unit ?? column.unit) === column.unit,
  );
  const fitting = possible.filter((column) => fits[column.type](value));
  // Each date is a text as well.
  const first = fitting.find((column) => column.type !== 'text') ?? fitting[0];
  if (first !== undefined) {
    const alike = fitting.filter((column) => column.type === first.type);
    const found = alike.length === 1 ? first : alike.find((each) => each.language + each.unit === '');
    if (found === undefined)
      throw refusal(
        `attribute ${JSON.stringify(key)}: expected the language or the unit of the value, got none`,
        `Known are ${alike.map((each) => each.language || each.unit).join(', ')}: {"value": …, "language": "${alike[0]!.language}"}.`,
      );
    return { ...plain(found), value: `${value}` };
  }
  const types = [...new Set(possible.map((column) => column.type))];
  const own = type ?? (typeof value === 'string' ? 'text' : typeof value === 'number' ? 'number' : 'boolean');
  if (types.length === 0 && fits[own](value))
    return { type: own, language: language ?? '', unit: unit ?? '', value: `${value}` };
  throw refusal(
    `attribute ${JSON.stringify(key)}: expected ${(types.length === 0 ? [own] : types).map((each) => typeWords[each]).join(' or ')}, got ${describeValue(value)}`,
    'Values have the type that the attribute has in the graph.',
  );
}

const plain = ({ type, language, unit }: AttributeColumn): Omit<PropertyValue, 'value'> => ({
  type,
  language,
  unit,
});

const typeWords: Readonly<Record<AttributeColumn['type'], string>> = {
  number: 'a number',
  date: 'a date as 2026-11-28',
  boolean: 'true or false',
  text: 'a text',
};

/** Whether a column of a type takes a literal: a text may be the number that JSON would round. */
const fits: Readonly<Record<AttributeColumn['type'], (value: Literal) => boolean>> = {
  number: (value) => typeof value === 'number' || /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(`${value}`),
  date: (value) =>
    typeof value === 'string' && /^-?\d{4,}(-\d\d(-\d\d(T[\d:.]+)?(Z|[+-]\d\d:\d\d)?)?)?$/.test(value),
  boolean: (value) => typeof value === 'boolean' || value === 'true' || value === 'false',
  text: (value) => typeof value === 'string',
};

function refusal(message: string, hint?: string): FuzzError {
  return new FuzzError('usage', message, hint === undefined ? {} : { hint });
}
