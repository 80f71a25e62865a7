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
