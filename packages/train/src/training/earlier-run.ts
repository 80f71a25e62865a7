import { join } from 'node:path';
import { FuzzError } from '@fuzzqe/core';
import { type RunState, readRunState } from '../checkpoint/checkpoint.ts';
import { recordedTrainingConfig } from '../config.ts';
import type { RunOptions } from './run.ts';

/**
 * The run that a folder holds, where it is to be resumed; undefined where there is none and none is asked for.
 *
 * One that has finished and is to have another number of steps, or to go on in any case, is no longer finished: its last stretch
 * is forgotten, and patience counts from where it is.
 *
 * @throws FuzzError `usage`: there is one that is not to be resumed, `checkpoint`: there is none, it belongs to
 *   another graph or configuration, or it has more steps than are asked for.
 */
export async function earlierRun(
  options: Pick<RunOptions, 'directory' | 'dataset' | 'config' | 'resume' | 'reopen'>,
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
  const { config, reopen = false } = options;
  const recorded = recordedTrainingConfig(earlier.config, path);
  const differing = differences({ ...recorded, steps: config.steps }, config, '$');
  if (differing.length > 0)
    throw new FuzzError('checkpoint', `trained with another configuration: ${differing.join(', ')}`, {
      path,
      hint: 'Go on with the --config and --seed of before, which `fuzzqe train --resume` takes from state.json where none is given, or start a new run in another folder.',
    });
  const reached = earlier.last?.step ?? 0;
  if (config.steps < reached)
    throw new FuzzError(
      'checkpoint',
      `steps: expected at least ${reached}, which it has, got ${config.steps}`,
      {
        path,
        hint: 'Ask for more (--steps), or start a new run in another folder.',
      },
    );
  const goesOn = config.steps !== recorded.steps ? config.steps > reached : reopen;
  if (earlier.status !== 'finished' || !goesOn) return earlier;
  const { ended: _, stretch: __, ...unfinished } = earlier;
  return { ...unfinished, status: 'stopped', reopened: reached };
}

/** The paths at which two configurations differ. */
function differences(a: unknown, b: unknown, path: string): string[] {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null)
    return a === b ? [] : [`${path} was ${JSON.stringify(a)}, is ${JSON.stringify(b)}`];
  const [left, right] = [a as Record<string, unknown>, b as Record<string, unknown>];
  const keys = new Set([...Object.keys(left), ...Object.keys(right)]);
  return [...keys].flatMap((key) => differences(left[key], right[key], `${path}.${key}`));
}
