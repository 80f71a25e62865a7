import type { EntityTexts } from '@fuzzqe/engine';
import { formatColumns } from '../terminal/columns.ts';
import type { NamedRelation } from './named-graph.ts';

/** Relations as lines: facts, name, key where it is another, an example. */
export function formatRelations(relations: readonly NamedRelation[], width: number): string[] {
  return withKeys(
    relations.map(({ facts, label, key, example }) => [`${facts}`, label, key, example ?? '']),
    ['facts', 'relation', 'key', 'example'],
    width,
  );
}

/** Entities as lines: facts, name, key where it is another. */
export function formatEntities(
  entities: readonly { readonly label: string; readonly key: string; readonly facts: number }[],
  width: number,
): string[] {
  return withKeys(
    entities.map(({ facts, label, key }) => [`${facts}`, label, key]),
    ['facts', 'entity', 'key'],
    width,
  );
}

/** What literals say of one entity, as lines: further names, then an attribute a line. */
export function formatTexts({ names, attributes }: EntityTexts): string[] {
  const oneLine = (text: string): string => text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ');
  const left = (attributes?.total ?? 0) - (attributes?.results.length ?? 0);
  return [
    ...(names?.results ?? []).map(
      ({ kind, language, text }) => `${kind}${language === '' ? '' : ` (${language})`}: ${oneLine(text)}`,
    ),
    ...(attributes?.results ?? []).map(
      ({ label, type, language, unit, value }) =>
        `${oneLine(label)}: ${oneLine(value)} (${[type, unit, language].filter((each) => each !== '').join(', ')})`,
    ),
    ...(left > 0 ? [`… and ${left} more attributes`] : []),
  ];
}

/** The third cell is the key, left out where every key is the name. */
function withKeys(rows: readonly string[][], titles: readonly string[], width: number): string[] {
  const hasKeys = rows.some(([, label, key]) => label !== key);
  const kept = (_: unknown, i: number): boolean => i !== 2 || hasKeys;
  return formatColumns(
    titles.map((title, i) => ({ title, right: i === 0, cut: i > 0 })).filter(kept),
    rows.map((row) => row.filter(kept)),
    width,
  );
}
