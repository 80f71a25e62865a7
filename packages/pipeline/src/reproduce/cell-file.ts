import { dirname } from 'node:path';
import { schema } from '@fuzzqe/core';
import { makeFolder, pathExists, readWholeFile, writeFileWhole } from '@fuzzqe/files';
import { type SeedFigures, seedFiguresSchema } from './reproduction.ts';

/** What became of a family with a seed: figures in each mode, or why there are none. */
export type Cell =
  | {
      readonly state: 'reached' | 'stopped' | 'untrained';
      readonly modes: readonly { readonly mode: string; readonly run: SeedFigures }[];
    }
  | { readonly state: 'refused'; readonly reason: string };

const { array, object, oneOf, string } = schema;
const fileSchema = object({
  key: string,
  state: oneOf(['reached', 'stopped', 'untrained']),
  modes: array(object({ mode: string, run: seedFiguresSchema })),
});

/** A cell that was kept; undefined if there is no cell, or the cell is of other data, queries or settings. */
export async function readCell(
  path: string,
  key: string,
): Promise<Extract<Cell, { modes: unknown }> | undefined> {
  if (!(await pathExists(path))) return undefined;
  const file = schema.recogniseJson(fileSchema, (await readWholeFile(path)).toString('utf8'));
  return file?.key === key ? { state: file.state, modes: file.modes } : undefined;
}

/** Keeps a cell, whole or not at all. Throws: as `writeFileWhole`. */
export async function writeCell(
  path: string,
  key: string,
  cell: Extract<Cell, { modes: unknown }>,
): Promise<void> {
  await makeFolder(dirname(path));
  await writeFileWhole(path, `${JSON.stringify({ key, ...cell }, null, 2)}\n`);
}
