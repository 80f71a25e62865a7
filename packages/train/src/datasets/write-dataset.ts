import { mkdir, mkdtemp, open, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { FuzzError, type NameEntry, writeEntitiesTsv, writeRelationsTsv } from '@fuzzqe/core';
import type { Dataset } from './dataset.ts';
import type { FolderHeader } from './folder-header.ts';
import { hashDataset } from './hash-dataset.ts';

/**
 * Writes a dataset to a new folder that `readDataset` reads, whole or not at all.
 *
 * The files go to a temporary folder beside it, are flushed to the disk, and the folder is renamed. The same dataset
 * gives the same bytes.
 *
 * @throws FuzzError `usage`: the folder exists. `data`: it cannot be written.
 */
export async function writeDataset(folder: string, dataset: Dataset): Promise<void> {
  const target = resolve(folder);
  if (await exists(target)) {
    throw new FuzzError('usage', 'folder: expected one that does not exist yet, got one that does', {
      path: folder,
      hint: 'Choose another folder, or remove it first.',
    });
  }
  let temporary: string | undefined;
  try {
    await mkdir(dirname(target), { recursive: true });
    temporary = await mkdtemp(join(dirname(target), `.${basename(target)}-`));
    for (const [name, text] of filesOf(dataset)) await writeFlushed(join(temporary, name), text);
    await flushFolder(temporary);
    await rename(temporary, target);
    temporary = undefined;
    await flushFolder(dirname(target));
  } catch (cause) {
    if (temporary !== undefined) await rm(temporary, { recursive: true, force: true });
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause);
    throw new FuzzError('data', `folder: cannot be written (${code})`, {
      path: folder,
      hint:
        code === 'ENOSPC'
          ? 'The disk is full.'
          : 'Check that the folder above exists and that you may write to it.',
      cause,
    });
  }
}

function* filesOf(dataset: Dataset): Iterable<[name: string, text: string]> {
  const { name, licence, description, vocabulary } = dataset;
  const header: FolderHeader = { format: 1, name, licence, description, sha256: hashDataset(dataset) };
  const entities = Array.from({ length: vocabulary.entityCount }, (_, id) => vocabulary.entity(id));
  const relations = Array.from({ length: vocabulary.relationCount / 2 }, (_, i): NameEntry => {
    const { inverse: _inverse, ...entry } = vocabulary.relation(2 * i);
    return entry;
  });
  yield ['dataset.json', `${JSON.stringify(header, null, 2)}\n`];
  yield ['entities.tsv', writeEntitiesTsv(entities)];
  yield ['relations.tsv', writeRelationsTsv(relations)];
  yield ['train.tsv', linesOf(dataset.train)];
  if (dataset.valid.length > 0) yield ['valid.tsv', linesOf(dataset.valid)];
  if (dataset.test.length > 0) yield ['test.tsv', linesOf(dataset.test)];
}

function linesOf(triples: Int32Array): string {
  const lines: string[] = [];
  for (let i = 0; i < triples.length; i += 3)
    lines.push(`${triples[i]}\t${triples[i + 1]}\t${triples[i + 2]}\n`);
  return lines.join('');
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

async function writeFlushed(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx');
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** A new or renamed file is only safe when the folder that names it is on the disk, too. */
async function flushFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
