import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Golden } from '@fuzzqe/core/bundle';
import { checkParity, openEngine, type ParityReport } from '@fuzzqe/engine';
import { materialise, type TableName } from '@fuzzqe/export';
import type { FixtureBundle } from '../fixtures/fixture-bundle.ts';
import { onRuntime, type RuntimeName } from '../fixtures/runtimes.ts';

/** The parity of a bundle that nobody has verified. */
export async function parityOf(
  runtime: RuntimeName,
  directory: string,
  golden: Golden,
): Promise<ParityReport> {
  const engine = await openEngine({ ...onRuntime(runtime, directory), verify: false });
  const report = await checkParity(engine, golden);
  await engine.close();
  return report;
}

/** The failed rows, as `2in by structure: case 0: embedding at …`. */
export function failuresOf({ rows }: ParityReport): string[] {
  return rows
    .filter(({ passed }) => !passed)
    .map(({ structure, by, failure }) => `${structure} by ${by}: ${failure}`);
}

/** The weights file of a bundle. */
export const weightsIn = (directory: string): string => join(directory, 'models/fp32/weights.bin');

/** Rewrites rows of a table within the weights file; a row is found by its own bytes. */
export async function rewriteRows(
  directory: string,
  { config, parameters }: FixtureBundle,
  table: TableName,
  change: (rowOf: (row: number) => Float32Array) => Readonly<Record<number, Float32Array>>,
): Promise<void> {
  const rows = [...materialise(config, parameters)[table]()].flatMap((block) => Array.from(block));
  const count = table === 'entityEmbeddings' ? config.entities : config.relations;
  const width = rows.length / count;
  const rowOf = (row: number): Float32Array => Float32Array.from(rows.slice(row * width, (row + 1) * width));
  const file = await readFile(weightsIn(directory));
  // All are found before the first is changed: a swap would otherwise find what it has just written.
  const changes = Object.entries(change(rowOf)).map(([row, values]) => {
    const at = file.indexOf(Buffer.from(rowOf(Number(row)).buffer));
    if (at < 0) throw new Error(`${table}[${row}] is not in the weights file`);
    return { at, values };
  });
  for (const { at, values } of changes) Buffer.from(values.buffer).copy(file, at);
  await writeFile(weightsIn(directory), file);
}
