import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FuzzError, schema } from '@fuzzqe/core';
import { type Calibration, calibrationSchema } from '@fuzzqe/core/sets';
import { writeFileWhole } from '@fuzzqe/data';
import { readRunState } from '@fuzzqe/train';

/** A calibration of a run's best checkpoint, with what it was fitted on and reached there. */
export interface SavedCalibration {
  readonly calibration: Calibration;
  /** The mean MRR over structures on those queries, and that of the default calibration. */
  readonly mrr: number;
  readonly defaultMrr: number;
  readonly queries: { readonly sha256: string; readonly each: number };
}

/** `calibration.json` in the folder of a run. */
interface CalibrationFile extends SavedCalibration {
  readonly format: 'fuzzqe-calibration';
  readonly version: 1;
  /** SHA-256 of the tensors that were calibrated: `best` of `state.json`. */
  readonly checkpoint: string;
}

const share = schema.number({ min: 0, max: 1 });
const fileSchema: schema.Schema<CalibrationFile> = schema.object({
  format: schema.oneOf(['fuzzqe-calibration']),
  version: schema.oneOf([1]),
  checkpoint: schema.string,
  calibration: calibrationSchema,
  mrr: share,
  defaultMrr: share,
  queries: schema.object({ sha256: schema.string, each: schema.integer({ min: 1 }) }),
});

/** Keeps the calibration of the run's best checkpoint; the file is written whole. Gives its path. */
export async function saveCalibration(run: string, kept: SavedCalibration): Promise<string> {
  const { best } = await readRunState(run);
  const file: CalibrationFile = {
    format: 'fuzzqe-calibration',
    version: 1,
    checkpoint: best?.sha256 ?? '',
    ...kept,
  };
  const path = join(run, 'calibration.json');
  await writeFileWhole(path, `${JSON.stringify(file, null, 2)}\n`);
  return path;
}

/**
 * The calibration of the run's best checkpoint; undefined where it has none, or only that of an earlier checkpoint.
 *
 * @throws FuzzError `checkpoint`: the file is damaged.
 */
export async function readSavedCalibration(run: string): Promise<SavedCalibration | undefined> {
  const path = join(run, 'calibration.json');
  const text = await readFile(path, 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  const file = schema.recogniseJson(fileSchema, text);
  if (file === undefined)
    throw new FuzzError('checkpoint', 'not a calibration', {
      path,
      hint: 'remove it and calibrate the run again: fuzzqe calibrate',
    });
  const { best } = await readRunState(run);
  const { calibration, mrr, defaultMrr, queries, checkpoint } = file;
  return checkpoint === best?.sha256 ? { calibration, mrr, defaultMrr, queries } : undefined;
}
