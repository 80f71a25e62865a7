import { instantOf } from '../provenance/instant.ts';
import type { AttributeType } from '../rows/attributes.ts';

/** From where to where a value reaches, both included: a year reaches from its first second to its last. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** A recorded literal: a text as it is, any other value as its span. */
export type Literal = string | Span;

/** The literal of a value as the data write it; undefined as `spanOf`, but for texts. */
export function literalOf(type: AttributeType, text: string): Literal | undefined {
  return type === 'text' ? text : spanOf(type, text);
}

/** The span of a value as the data write it; undefined for texts, for times without a day, and for `NaN`. */
export function spanOf(type: AttributeType, text: string): Span | undefined {
  switch (type) {
    case 'number':
      return spanOfNumber(Number(text.trim().replace('INF', 'Infinity')));
    case 'boolean':
      return spanOfNumber(text === 'true' || text === '1' ? 1 : 0);
    case 'date':
      return spanOfDate(text.trim());
    case 'text':
      return undefined;
  }
}

function spanOfNumber(value: number): Span | undefined {
  return Number.isNaN(value) ? undefined : { from: value, to: value };
}

const zoneOf = /(?:Z|[+-]\d{2}:\d{2})?$/;

/** What makes the last second of a day, of a year, of a month of each length, of a minute, and of a second. */
const lasts = [
  ...['', '-12-31', '-31', '-30', '-29', '-28'].map((day) => `${day}T23:59:59`),
  // After the months: a year with a month and minutes would be a year with a zone.
  ':59',
  '',
];

/** The seconds of a year, a month, a day or a time, since 1970. */
function spanOfDate(text: string): Span | undefined {
  const from = instantOf(text);
  if (from === undefined) return undefined;
  const [zone = ''] = zoneOf.exec(text) ?? [];
  const day = text.slice(0, text.length - zone.length);
  for (const last of lasts) {
    const to = instantOf(day + last + zone);
    if (to !== undefined) return { from, to };
  }
  return undefined;
}

/** The year of a number as a date writes the year; undefined for a number that is no year. */
export function yearText(year: number): string | undefined {
  if (!Number.isInteger(year) || Math.abs(year) > 999_999) return undefined;
  return `${year < 0 ? '-' : ''}${String(Math.abs(year)).padStart(4, '0')}`;
}
