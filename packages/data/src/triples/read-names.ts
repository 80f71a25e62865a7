import { FuzzError, type NameEntry } from '@fuzzqe/core';
import { loneReturn } from '../files/line-ends.ts';
import { forEachLine } from '../files/lines.ts';

/**
 * Reads what keys are called, a line a key: `key TAB label [TAB description]`.
 *
 * @throws FuzzError `data` with `path:line`: fewer than two or more than three columns, a key for the second time, a
 *   carriage return alone; what `forEachLine` throws.
 */
export async function readNames(path: string): Promise<ReadonlyMap<string, NameEntry>> {
  const names = new Map<string, NameEntry>();
  await forEachLine(path, (line, number) => {
    if (line === '') return;
    const where = `${path}:${number}`;
    if (line.includes('\r')) throw loneReturn(where);
    const columns = line.split('\t', 6);
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
        hint: 'Take one of the lines out.',
      });
    }
    names.set(key, { key, label: label || key, ...(description ? { description } : {}) });
  });
  return names;
}

/**
 * Reads the names of ids, a line an id in order: `id TAB key [TAB label [TAB description]]`.
 *
 * @throws FuzzError `data` with `path:line`: an id out of order, fewer than two or more than four columns, a carriage
 *   return alone; no ids.
 */
export async function readIdNames(path: string): Promise<NameEntry[]> {
  const names: NameEntry[] = [];
  await forEachLine(path, (line, number) => {
    if (line === '') return;
    if (line.includes('\r')) throw loneReturn(`${path}:${number}`);
    const columns = line.split('\t', 6);
    const [id, key, label, description] = columns;
    if (!key || columns.length > 4) {
      throw new FuzzError('data', `name: expected two to four columns between tabs, got ${columns.length}`, {
        path: `${path}:${number}`,
        hint: 'A line is: id TAB key [TAB label [TAB description]].',
      });
    }
    if (id !== String(names.length)) {
      throw new FuzzError('data', `id: expected ${names.length}, got ${JSON.stringify(id)}`, {
        path: `${path}:${number}`,
        hint: 'Number the lines 0, 1, 2, … in order. Where they are keys, and labels follow, another line may stand first.',
      });
    }
    names.push({ key, label: label || key, ...(description ? { description } : {}) });
  });
  if (names.length > 0) return names;
  throw new FuzzError('data', 'names: expected at least one, got none', {
    path,
    hint: 'A line is: id TAB key [TAB label [TAB description]].',
  });
}

/** Whether a file of names begins its lines with ids: 0, then 1. */
export async function namesAreNumbered(path: string): Promise<boolean> {
  const firsts: (string | undefined)[] = [];
  await forEachLine(path, (line) => {
    if (firsts.length < 2 && line !== '') firsts.push(line.split('\t')[0]);
  });
  return firsts[0] === '0' && (firsts.length < 2 || firsts[1] === '1');
}

/** Whether all lines of a file of names begin with whole numbers, from 0 on, and have more after them: ids, as it seems, be it with gaps. */
export async function namesSeemNumbered(path: string): Promise<boolean> {
  let isFirst = true;
  let are = true;
  await forEachLine(path, (line) => {
    if (line === '' || !are) return;
    const [id, key] = line.split('\t');
    are = key !== undefined && (isFirst ? id === '0' : /^\d+$/.test(id!));
    isFirst = false;
  });
  return are && !isFirst;
}
