import { stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { type Dataset, importPath, isSourceAddress, readDataset, sourceName } from '@fuzzqe/data';
import { pathExists } from '@fuzzqe/files';
import { createByteProgress } from '../terminal/progress.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { type ImportOptionFlags, importOptionsOf } from './data/import-options.ts';

/**
 * Reads a graph into memory: the folder of a data set, or whatever `fuzzqe data import` reads.
 *
 * A file of triples, or a source, keeps all of its facts together: nothing is held out.
 *
 * @throws FuzzError `data`: what the readers throw. `usage`: an option of the import.
 */
export async function openAskedGraph(
  terminal: Terminal,
  path: string,
  flags: ImportOptionFlags,
): Promise<Dataset> {
  const isSource = isSourceAddress(path);
  if (!isSource && (await pathExists(join(path, 'dataset.json')))) return readDataset(path);
  const isFile = isSource || (await stat(path).catch(() => undefined))?.isFile() === true;
  const { dataset } = await importPath(path, {
    ...(isFile ? { holdOut: 0 } : {}),
    ...importOptionsOf(flags),
    name: isSource ? sourceName(path) : basename(resolve(path)),
    onProgress: createByteProgress(terminal, 'Reading'),
  });
  terminal.status('');
  return dataset;
}
