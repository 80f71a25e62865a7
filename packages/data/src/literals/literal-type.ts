import type { AttributeColumn } from '@fuzzqe/names';
import { kindOfCell } from '../tables/survey-table.ts';

/** What a literal is, beside its text. */
export type LiteralType = Pick<AttributeColumn, 'type' | 'language' | 'unit'>;

const xsd = 'http://www.w3.org/2001/XMLSchema#';
const texts: ReadonlySet<string> = new Set([
  `${xsd}string`,
  'http://www.w3.org/1999/02/22-rdf-syntax-ns#langString',
  'http://www.w3.org/1999/02/22-rdf-syntax-ns#dirLangString',
]);

const whole = /^[+-]?\d+$/;
const zone = '(?:Z|[+-]\\d{2}:\\d{2})?';
const year = '-?(?:[1-9]\\d{3,}|0\\d{3})';
const time = '(?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(?:\\.\\d+)?|24:00:00(?:\\.0+)?';

/** The texts of a number of each datatype that XML Schema has, as far as letters tell. */
const numbers: Readonly<Record<string, RegExp>> = {
  decimal: /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)$/,
  float: /^(?:[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?|[+-]?INF|NaN)$/,
};
const numberForms: ReadonlyMap<string, RegExp> = new Map([
  ['decimal', numbers['decimal']!],
  ['float', numbers['float']!],
  ['double', numbers['float']!],
  ...[
    ...['integer', 'long', 'int', 'short', 'byte', 'nonNegativeInteger', 'positiveInteger'],
    ...[
      'nonPositiveInteger',
      'negativeInteger',
      'unsignedLong',
      'unsignedInt',
      'unsignedShort',
      'unsignedByte',
    ],
  ].map((name): [string, RegExp] => [name, whole]),
]);
const dateForms: ReadonlyMap<string, RegExp> = new Map(
  Object.entries({
    date: `${year}-\\d{2}-\\d{2}${zone}`,
    dateTime: `${year}-\\d{2}-\\d{2}T(?:${time})${zone}`,
    dateTimeStamp: `${year}-\\d{2}-\\d{2}T(?:${time})(?:Z|[+-]\\d{2}:\\d{2})`,
    gYear: `${year}${zone}`,
    gYearMonth: `${year}-(?:0[1-9]|1[0-2])${zone}`,
    time: `(?:${time})${zone}`,
  }).map(([name, form]) => [name, new RegExp(`^(?:${form})$`)]),
);

/**
 * What an RDF literal is: a number, date or boolean of XML Schema, or a text.
 *
 * A literal that its datatype does not admit, such as 30 February, is a text, with the datatype as its unit. Of an unknown
 * datatype a text that is a number counts as one: its datatype is its unit.
 */
export function typeOfLiteral(text: string, datatype: string, language: string): LiteralType {
  const of = (type: LiteralType['type'], unit = ''): LiteralType => ({ type, language, unit });
  if (texts.has(datatype)) return of('text');
  if (!datatype.startsWith(xsd)) return of(numbers['float']!.test(text) ? 'number' : 'text', datatype);
  const name = datatype.slice(xsd.length);
  const number = numberForms.get(name);
  if (number?.test(text)) return of('number');
  if (name === 'boolean' && /^(?:true|false|0|1)$/.test(text)) return of('boolean');
  if (dateForms.get(name)?.test(text) && isDay(text)) return of('date');
  return of('text', datatype);
}

/** What a cell of a table is that is no name; its title may end in a unit: `height (m)`, `mass [kg]`. */
export function typeOfCell(cell: string, title: string): LiteralType | undefined {
  const kind = kindOfCell(cell);
  if (kind === undefined) return undefined;
  const [, unit = ''] = kind === 'numbers' ? (/[([]([^()[\]]+)[)\]]\s*$/.exec(title) ?? []) : [];
  const type = kind === 'numbers' ? 'number' : kind === 'dates' ? 'date' : 'boolean';
  return { type, language: '', unit };
}

/** Whether a text that begins with a date begins with a day that there is. */
function isDay(text: string): boolean {
  const [, years, months, days] = /^(-?\d{4,})-(\d{2})-(\d{2})/.exec(text) ?? [];
  if (days === undefined) return true;
  // The calendar repeats every 400 years: the days of a year beyond those of Date are those of another.
  const date = new Date(Date.UTC(2000 + (Number(years) % 400), Number(months) - 1, Number(days)));
  return date.getUTCMonth() === Number(months) - 1 && date.getUTCDate() === Number(days);
}
