import { join } from 'node:path';
import { FuzzError } from '@fuzzqe/core';
import { type RunState, readRunState } from '../checkpoint/checkpoint.ts';
import { recordedTrainingConfig } from '../config.ts';
import type { RunOptions } from './run.ts';

/**
 * The run that a folder holds, where it is to be resumed; undefined where there is none and none is asked for.
 *
 * Throws: 'usage' where there is one that is not to be resumed, 'checkpoint' where there is none, or it belongs to
 * another graph or configuration.
 */
export async function earlierRun(
  options: Pick<RunOptions, 'directory' | 'dataset' | 'config' | 'resume'>,
  digest: string,
): Promise<RunState | undefined> {
  let earlier: RunState;
  const path = join(options.directory, 'state.json');
  try {
    earlier = await readRunState(options.directory);
  } catch (error) {
    const missing =
      error instanceof FuzzError && (error.cause as NodeJS.ErrnoException | undefined)?.code === 'ENOENT';
    if (missing && !options.resume) return undefined;
    throw error;
  }
  if (!options.resume)
    throw new FuzzError('usage', 'there is a training run here already', {
      path,
      hint: 'go on with it (--resume) or choose another folder',
    });
  if (earlier.data.sha256 !== digest)
    throw new FuzzError(
      'checkpoint',
      `trained on another graph (${earlier.data.name}, ${earlier.data.sha256.slice(0, 12)}…)`,
      {
        path,
        hint: `the graph given now is ${options.dataset.name}, ${digest.slice(0, 12)}…`,
      },
    );
  const differing = differences(recordedTrainingConfig(earlier.config, path), options.config, '$');
  if (differing.length > 0)
    throw new FuzzError('checkpoint', `trained with another configuration: ${differing.join(', ')}`, {
      path,
      hint: 'Go on with the --config, --steps and --seed of before, which `fuzzqe train --resume` takes from state.json where none is given, or start a new run in another folder.',
    });
  return earlier;
}

/** The paths at which two configurations differ. */
function differences(a: unknown, b: unknown, path: string): string[] {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null)
    return a === b ? [] : [`${path} was ${JSON.stringify(a)}, is ${JSON.stringify(b)}`];
  const [left, right] = [a as Record<string, unknown>, b as Record<string, unknown>];
  const keys = new Set([...Object.keys(left), ...Object.keys(right)]);
  return [...keys].flatMap((key) => differences(left[key], right[key], `${path}.${key}`));
}
