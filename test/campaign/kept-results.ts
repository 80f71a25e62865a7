import { readFile } from 'node:fs/promises';
import { schema } from '@fuzzqe/core';
import { pathExists, writeFileWhole } from '@fuzzqe/files';
import type { DoorResult } from './run-door.ts';

const count = schema.integer({ min: 0 });
const positive = schema.number({ min: 0 });
const failure = schema.object({
  index: count,
  kind: schema.oneOf(['error', 'hang', 'crash', 'memory']),
  detail: schema.string,
});
const result = schema.object({
  door: schema.string,
  tried: count,
  taken: count,
  refused: count,
  units: count,
  failures: schema.array(failure),
  slowest: positive,
  mebibytes: positive,
  seconds: positive,
});
const kept = schema.object({ seed: schema.number(), results: schema.array(result) });

/** The results of a campaign with that seed that a file keeps; none where there is no file yet. */
export async function readResults(path: string, seed: number): Promise<readonly DoorResult[]> {
  if (!(await pathExists(path))) return [];
  const { seed: before, results } = schema.parse(kept, JSON.parse(await readFile(path, 'utf8')), {
    code: 'data',
    what: path,
  });
  if (before !== seed) throw new Error(`${path} is of seed ${before}, not of ${seed}`);
  return results;
}

/** Keeps them, the old or the new ones whenever the process ends. */
export async function writeResults(
  path: string,
  seed: number,
  results: readonly DoorResult[],
): Promise<void> {
  await writeFileWhole(path, JSON.stringify({ seed, results }, null, 1));
}

/** What came of a door's inputs and of those after them, together. */
export function addedResults(before: DoorResult | undefined, after: DoorResult): DoorResult {
  if (before === undefined) return after;
  return {
    door: after.door,
    tried: before.tried + after.tried,
    taken: before.taken + after.taken,
    refused: before.refused + after.refused,
    units: before.units + after.units,
    failures: [...before.failures, ...after.failures],
    slowest: Math.max(before.slowest, after.slowest),
    mebibytes: Math.max(before.mebibytes, after.mebibytes),
    seconds: before.seconds + after.seconds,
  };
}
