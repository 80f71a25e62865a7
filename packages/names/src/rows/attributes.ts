import { type EntityRows, FuzzError } from '@fuzzqe/core';
import { noEntityRows, readEntityRows } from './entity-rows.ts';
import { escapeField, readField } from './tsv-field.ts';

/** What the values of an attribute are; text is any other literal. */
export const attributeTypes = ['number', 'date', 'boolean', 'text'] as const;
export type AttributeType = (typeof attributeTypes)[number];

/** One property of entities whose values are literals of one kind. */
export interface AttributeColumn {
  /** The property in the data. */
  readonly key: string;
  readonly label: string;
  readonly type: AttributeType;
  /** The language of texts; empty where none is given. */
  readonly language: string;
  /** The unit of numbers, or the IRI of a datatype that is not of XML Schema or that the value does not fit; often empty. */
  readonly unit: string;
}

/** A value of an entity, as it is written in the data. */
export interface AttributeValue extends AttributeColumn {
  readonly value: string;
}

/** Numbers, dates, booleans and texts of entities. */
export interface Attributes {
  readonly columns: readonly AttributeColumn[];
  /** The values: number of the column, and the value as the data writes it. */
  readonly rows: EntityRows;
}

/** No values. */
export const noAttributes: Attributes = { columns: [], rows: noEntityRows };

/**
 * The values of an entity, column after column as its rows are.
 *
 * @example
 * const paths = { entityCount: 1, columnsPath: 'attributes.tsv', valuesPath: 'attribute-values.tsv' };
 * const none = readAttributes('', () => new Uint8Array(), paths);
 * for (const { label, value, unit } of attributesOf(none, 0)) console.log(label, value, unit);
 */
export function attributesOf({ columns, rows }: Attributes, id: number): AttributeValue[] {
  return rows.of(id).map(([column, value = '']) => ({ ...columns[Number(column)]!, value }));
}

const columnFields = ['key', 'label', 'type', 'language', 'unit'] as const;

/** Writes `attributes.tsv`: a line a column, `number TAB key TAB label TAB type TAB language TAB unit`. */
export function writeAttributeColumns(columns: readonly AttributeColumn[]): string {
  return columns
    .map(
      (column, i) =>
        `${[String(i), ...columnFields.map((name) => column[name])].map(escapeField).join('\t')}\n`,
    )
    .join('');
}

/**
 * Reads `attributes.tsv`, and `attribute-values.tsv` when values are first asked for: `id TAB column TAB value`, in the order of ids.
 *
 * @throws FuzzError `data` with `path:line`: a column that is out of order or of an unknown type. When values are asked for: as `readEntityRows`.
 *
 * @example
 * const values = new TextEncoder().encode('0\t0\t67\n');
 * const attributes = readAttributes('0\tpopulation\tpopulation\tnumber\t\t\n', () => values, {
 *   entityCount: 1,
 *   columnsPath: 'attributes.tsv',
 *   valuesPath: 'attribute-values.tsv',
 * });
 */
export function readAttributes(
  columnsText: string,
  readValues: () => Uint8Array,
  { entityCount, columnsPath, valuesPath }: AttributePaths,
): Attributes {
  const lines = columnsText.split('\n').filter((line) => line !== '');
  const columns = lines.map((line, i): AttributeColumn => {
    const path = `${columnsPath}:${i + 1}`;
    const [number, key, label, given, language, unit, ...more] = line
      .split('\t')
      .map((field) => readField(field, path));
    const type = attributeTypes.find((each) => each === given);
    if (number === String(i) && key && label !== undefined && type && language !== undefined)
      if (unit !== undefined && more.length === 0) return { key, label, type, language, unit };
    throw new FuzzError('data', `attribute: expected column ${i}, got ${JSON.stringify(line)}`, {
      path,
      hint: `A line is: number TAB ${columnFields.join(' TAB ')}; types are ${attributeTypes.join(', ')}.`,
    });
  });
  const rows = readEntityRows(readValues, {
    path: valuesPath,
    entityCount,
    fields: ['column', 'value'],
    wrong: ([column = '']) =>
      /^\d{1,9}$/.test(column) && Number(column) < columns.length ? undefined : `column ${column}`,
  });
  return { columns, rows };
}

/** Where attributes stand, and of how many entities. */
export interface AttributePaths {
  readonly entityCount: number;
  readonly columnsPath: string;
  readonly valuesPath: string;
}
