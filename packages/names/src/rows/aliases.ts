import type { EntityRows } from '@fuzzqe/core';
import { readEntityRows } from './entity-rows.ts';

/** What a further text about an entity is: a label in another language, another name, a description. */
export const aliasKinds = ['label', 'alias', 'description'] as const;
export type AliasKind = (typeof aliasKinds)[number];

/** A further name of an entity, or a description. */
export interface Alias {
  readonly kind: AliasKind;
  /** A language tag, such as `de`; empty where none is given. */
  readonly language: string;
  readonly text: string;
}

/**
 * Reads `aliases.tsv`: `id TAB kind TAB language TAB text`, in the order of ids; an entity may have any number of lines.
 *
 * @throws FuzzError `data`, when rows are asked for: as `readEntityRows`; a kind that is unknown.
 *
 * @example
 * const aliases = readAliases(() => new TextEncoder().encode('0\tlabel\tde\tFrankreich\n'), 1);
 */
export function readAliases(read: () => Uint8Array, entityCount: number, path = 'aliases.tsv'): EntityRows {
  return readEntityRows(read, {
    path,
    entityCount,
    fields: ['kind', 'language', 'text'],
    wrong: ([kind]) => (aliasKinds.some((each) => each === kind) ? undefined : `the kind ${kind}`),
  });
}

/**
 * The further names of an entity, in the order of their lines.
 *
 * @example
 * for (const { kind, language, text } of aliasesOf(vocabulary.aliases, 0)) console.log(kind, language, text);
 */
export function aliasesOf(rows: EntityRows, id: number): Alias[] {
  return rows.of(id).map(([kind, language = '', text = '']) => ({
    kind: aliasKinds.find((each) => each === kind) ?? 'alias',
    language,
    text,
  }));
}
