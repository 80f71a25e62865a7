import type { ParsedText } from '../syntax/parsed-text.ts';
import { answerColumns } from './answer-columns.ts';

/** Whether a query has `?degree`, `?known` or `?label` without a part that gives the variable values: then answers bring it. */
export function asksForDegrees({ query }: ParsedText): boolean {
  const used = new Set<unknown>();
  const bound = new Set<unknown>();
  const seen = new Set<object>();
  const walk = (part: object, binds: boolean): void => {
    if (seen.has(part)) return;
    seen.add(part);
    const { subType, type, value, variable, values }: Part = part;
    if (type === 'term' && subType === 'variable') (binds ? bound : used).add(value);
    if (typeof variable === 'object' && variable !== null && 'value' in variable) bound.add(variable.value);
    if (subType === 'values' && Array.isArray(values))
      for (const row of values as readonly object[])
        for (const name of Object.keys(row)) bound.add(name.replace(/^\?/, ''));
    for (const [name, each] of Object.entries(part))
      if (name !== 'loc' && typeof each === 'object' && each !== null) walk(each, binds || subType === 'bgp');
  };
  walk(query, false);
  return answerColumns.some((column) => used.has(column) && !bound.has(column));
}

/** What any part of the syntax may have. */
interface Part {
  readonly type?: unknown;
  readonly subType?: unknown;
  readonly value?: unknown;
  readonly variable?: unknown;
  readonly values?: unknown;
}
