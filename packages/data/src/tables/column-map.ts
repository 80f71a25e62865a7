import { FuzzError } from '@fuzzqe/core';

/** Which column of a table holds what, as a person says it: by title, by number from 1, or one text for all lines. */
export interface ColumnMap {
  readonly head: string;
  readonly relation: string;
  readonly tail: string;
  /** Whether the relation stood between quotes: a text, not a column. */
  readonly isText: boolean;
}

/**
 * Reads `head=film,relation="likes",tail=user`: for each role a title, a number from 1, or for the relation a text.
 *
 * A value between double quotes may hold commas.
 *
 * @throws FuzzError `usage`: a role that is missing, unknown or given twice.
 */
export function parseColumnMap(text: string): ColumnMap {
  const parts = new Map<string, string>();
  let isText = false;
  let rest = text;
  while (rest !== '') {
    const part = /^\s*(head|relation|tail)\s*=\s*(?:"([^"]*)"|([^,"]*[^,"\s]))\s*(?:,|$)/.exec(rest);
    if (part === null || parts.has(part[1]!)) throw wrongMap(text);
    const [whole, role = '', quoted, plain = ''] = part;
    parts.set(role, quoted ?? plain);
    if (role === 'relation') isText = quoted !== undefined;
    rest = rest.slice(whole.length);
  }
  const [head, relation, tail] = [parts.get('head'), parts.get('relation'), parts.get('tail')];
  if (!head || !relation || !tail) throw wrongMap(text);
  return { head, relation, tail, isText };
}

function wrongMap(text: string): FuzzError {
  return new FuzzError('usage', `columns: expected head=…,relation=…,tail=…, got ${JSON.stringify(text)}`, {
    hint: 'Name titles or numbers from 1, and a relation of all lines in quotes: --columns \'head=film,relation="likes",tail=user\'.',
  });
}
