import type { Vocabulary } from '@fuzzqe/core';
import {
  type AttributeColumn,
  type Attributes,
  type AttributeValue,
  attributesOf,
} from '../rows/attributes.ts';
import type { GrowingVocabulary } from './growing-vocabulary.ts';

/** A value of an entity without its property. */
export interface PropertyValue extends Omit<AttributeValue, 'key' | 'label'> {}

/** The values of one property of an entity from now on. */
export interface AttributeChange {
  /** The property. */
  readonly key: string;
  /** Null: the values that the entity came with. */
  readonly values: readonly PropertyValue[] | null;
}

/** Literals of entities that changed after the graph was opened. */
export interface ChangedAttributes {
  put(id: number, changes: readonly AttributeChange[]): void;
  /** The values of an entity: those that changed instead of those of the data, in the order of the columns. */
  valuesOf(attributes: Attributes, id: number): AttributeValue[];
  /** The columns of the data, then those that changes added. */
  columnsWith(columns: readonly AttributeColumn[]): readonly AttributeColumn[];
  /** The entities whose values of a property changed. */
  idsWith(key: string): ReadonlySet<number>;
}

/** Starts without changes. */
export function createChangedAttributes(): ChangedAttributes {
  const own = new Map<number, Map<string, readonly PropertyValue[]>>();
  /** By all that tells one column from another. */
  const ownColumns = new Map<string, Omit<AttributeColumn, 'label'>>();
  const columnsWith: ChangedAttributes['columnsWith'] = (columns) => {
    const known = new Set(columns.map(nameOf));
    const more = [...ownColumns].filter(([name]) => !known.has(name));
    return [...columns, ...more.map(([, column]) => ({ ...column, label: labelIn(columns, column.key) }))];
  };
  return {
    put(id, changes) {
      const ofEntity = own.get(id) ?? new Map<string, readonly PropertyValue[]>();
      own.set(id, ofEntity);
      for (const { key, values } of changes) {
        if (values === null) {
          ofEntity.delete(key);
          continue;
        }
        ofEntity.set(key, values);
        for (const { type, language, unit } of values) {
          const column = { key, type, language, unit };
          ownColumns.set(nameOf(column), column);
        }
      }
    },
    valuesOf(attributes, id) {
      const below = attributesOf(attributes, id);
      const ofEntity = own.get(id);
      if (ofEntity === undefined) return below;
      const { columns } = attributes;
      const changed = [...ofEntity].flatMap(([key, values]) =>
        values.map((value) => ({ key, label: labelIn(columns, key), ...value })),
      );
      const all = [...below.filter(({ key }) => !ofEntity.has(key)), ...changed];
      const order = columnsWith(columns).map(({ key }) => key);
      return all.sort((a, b) => order.indexOf(a.key) - order.indexOf(b.key));
    },
    columnsWith,
    idsWith: (key) => new Set([...own].flatMap(([id, ofEntity]) => (ofEntity.has(key) ? [id] : []))),
  };
}

/** The values of an entity as they are now, by a vocabulary that may have grown. */
export function attributeValues(
  vocabulary: Vocabulary | GrowingVocabulary,
  attributes: Attributes,
  id: number,
): AttributeValue[] {
  return 'changedAttributes' in vocabulary
    ? vocabulary.changedAttributes.valuesOf(attributes, id)
    : attributesOf(attributes, id);
}

/** The columns as they are now, by a vocabulary that may have grown. */
export function attributeColumns(
  vocabulary: Vocabulary | GrowingVocabulary,
  { columns }: Pick<Attributes, 'columns'>,
): readonly AttributeColumn[] {
  return 'changedAttributes' in vocabulary ? vocabulary.changedAttributes.columnsWith(columns) : columns;
}

function nameOf({ key, type, language, unit }: Omit<AttributeColumn, 'label'>): string {
  return JSON.stringify([key, type, language, unit]);
}

function labelIn(columns: readonly AttributeColumn[], property: string): string {
  return columns.find(({ key }) => key === property)?.label ?? property;
}
