import { join } from 'node:path';
import { FuzzError } from '@fuzzqe/core';
import { lockFolder, pathExists } from '@fuzzqe/files';
import type { ModelConfig, Parameters } from '@fuzzqe/model';
import { parameterTensors, type RunState, saveTensors, writeRunState } from './checkpoint.ts';

/** Parameters that no training here has made, and what is said of them instead of a training configuration. */
export interface MadeRun {
  readonly model: ModelConfig;
  readonly parameters: Parameters;
  readonly config: RunState['config'];
  readonly data: RunState['data'];
  readonly device: string;
  /** Steps that had been trained, as far as they are known. */
  readonly step: number;
}

/**
 * Writes parameters as a finished run, to be evaluated and exported like any other.
 *
 * They are made when the folder is locked and known to be free, so that long work does not end in a refusal.
 *
 * @throws FuzzError `usage`: the folder holds a run. `runtime`: another process writes in it. What `make` throws; nothing is written then.
 */
export async function writeMadeRun(directory: string, make: () => Promise<MadeRun>): Promise<void> {
  const lock = await lockFolder(directory);
  try {
    const state = join(directory, 'state.json');
    if (await pathExists(state))
      throw new FuzzError('usage', 'there is a training run here already', {
        path: state,
        hint: 'choose another folder',
      });
    const { parameters, step, ...said } = await make();
    const best = await saveTensors(directory, 'best', step, parameterTensors(said.model, parameters));
    await writeRunState(directory, { format: 'fuzzqe-run', version: 1, ...said, status: 'finished', best });
  } finally {
    await lock.release();
  }
}
