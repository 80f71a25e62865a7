import { FuzzError, type NameEntry } from '@fuzzqe/core';
import { forEachLine } from './lines.ts';

/**
 * Reads what keys are called, a line a key: `key TAB label [TAB description]`.
 *
 * @throws FuzzError `data` with `path:line`: fewer than two or more than three columns, a key for the second time;
 *   what `forEachLine` throws.
 */
export async function readNames(path: string): Promise<ReadonlyMap<string, NameEntry>> {
  const names = new Map<string, NameEntry>();
  await forEachLine(path, (line, number) => {
    if (line === '') return;
    const where = `${path}:${number}`;
    const columns = line.split('\t');
    const [key, label, description] = columns;
    if (!key || label === undefined || columns.length > 3) {
      throw new FuzzError('data', `name: expected two or three columns between tabs, got ${columns.length}`, {
        path: where,
        hint: 'A line is: key TAB label [TAB description].',
      });
    }
    if (names.has(key)) {
      throw new FuzzError('data', `key: expected each once, got ${JSON.stringify(key)} again`, {
        path: where,
      });
    }
    names.set(key, { key, label: label || key, ...(description ? { description } : {}) });
  });
  return names;
}

/**
 * Reads the names of ids, a line an id in order: `id TAB key [TAB label [TAB description]]`.
 *
 * With `inverses`, as the BetaE data sets list relations, odd ids are those of inverses and give no name, and a `+`
 * that marks the others is taken off.
 *
 * @throws FuzzError `data` with `path:line`: an id out of order, fewer than two or more than four columns; no ids.
 */
export async function readIdNames(path: string, inverses: boolean): Promise<NameEntry[]> {
  const names: NameEntry[] = [];
  let next = 0;
  await forEachLine(path, (line, number) => {
    if (line === '') return;
    const columns = line.split('\t');
    const [id, written, label, description] = columns;
    if (!written || columns.length > 4) {
      throw new FuzzError('data', `name: expected two to four columns between tabs, got ${columns.length}`, {
        path: `${path}:${number}`,
        hint: 'A line is: id TAB key [TAB label [TAB description]].',
      });
    }
    if (id !== String(next)) {
      throw new FuzzError('data', `id: expected ${next}, got ${JSON.stringify(id)}`, {
        path: `${path}:${number}`,
        hint: 'Number the lines 0, 1, 2, … in order.',
      });
    }
    next++;
    if (inverses && next % 2 === 0) return;
    const key = inverses ? written.replace(/^\+/, '') : written;
    names.push({ key, label: label || key, ...(description ? { description } : {}) });
  });
  if (names.length > 0) return names;
  throw new FuzzError('data', 'names: expected at least one, got none', { path });
}
