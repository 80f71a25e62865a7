import { join } from 'node:path';
import type { CalibrationFit } from '@fuzzqe/bundle';
import { FuzzError, schema } from '@fuzzqe/core';
import {
  type Calibration,
  calibrationSchema,
  type LinkProbability,
  linkProbabilitySchema,
} from '@fuzzqe/core/sets';
import { pathExists, readWholeFile, writeFileWhole } from '@fuzzqe/files';
import { readRunState } from '@fuzzqe/train';

/** How a run's best checkpoint answers by fuzzy sets. */
export interface SavedCalibration {
  /** SHA-256 of the tensors that were calibrated: `best` of `state.json` at that time. */
  readonly checkpoint: string;
  readonly calibration: Calibration;
  /** z_r of every relation at the calibration's temperature. */
  readonly partitions: Float32Array;
  /** What it was fitted on; null where there were no validation queries: it is the default then. */
  readonly fitted: CalibrationFit | null;
  /** How likely links are; null where no validation facts are held out. */
  readonly probability: LinkProbability | null;
}

/** `calibration.json` in the folder of a run. */
interface CalibrationFile extends Omit<SavedCalibration, 'partitions'> {
  readonly format: 'fuzzqe-calibration';
  readonly version: 3;
  readonly partitions: readonly number[];
}

const share = schema.number({ min: 0, max: 1 });
const fitSchema: schema.Schema<CalibrationFit> = schema.object({
  queries: schema.string,
  each: schema.integer({ min: 1 }),
  mrr: share,
  defaultMrr: share,
  entities: schema.optional(schema.integer({ min: 1 })),
});
const fileSchema: schema.Schema<CalibrationFile> = schema.object({
  format: schema.oneOf(['fuzzqe-calibration']),
  version: schema.oneOf([3]),
  checkpoint: schema.string,
  calibration: calibrationSchema,
  partitions: schema.array(schema.number()),
  fitted: schema.nullable(fitSchema),
  probability: schema.nullable(linkProbabilitySchema),
});
const earlierSchema = schema.partOf({
  format: schema.oneOf(['fuzzqe-calibration']),
  version: schema.oneOf([1, 2]),
});

/** Keeps the calibration of a run's checkpoint; the file is written whole. Gives its path. */
export async function saveCalibration(run: string, kept: SavedCalibration): Promise<string> {
  const file: CalibrationFile = {
    format: 'fuzzqe-calibration',
    version: 3,
    ...kept,
    // Nine digits are all that single precision has.
    partitions: Array.from(kept.partitions, (z) => Number(z.toPrecision(9))),
  };
  const path = pathOf(run);
  await writeFileWhole(path, `${JSON.stringify(file, null, 2)}\n`);
  return path;
}

const pathOf = (run: string): string => join(run, 'calibration.json');

/**
 * The calibration of a checkpoint, of the run's best one unless it is named; undefined where it has none, or only that of another.
 *
 * @throws FuzzError `checkpoint`: the file is damaged, or an earlier version wrote it.
 */
export async function readSavedCalibration(run: string, of?: string): Promise<SavedCalibration | undefined> {
  if (!(await pathExists(pathOf(run)))) return undefined;
  const text = (await readWholeFile(pathOf(run), 'checkpoint')).toString('utf8');
  const file = schema.recogniseJson(fileSchema, text);
  if (file === undefined) {
    const isEarlier = schema.recogniseJson(earlierSchema, text) !== undefined;
    throw new FuzzError(
      'checkpoint',
      isEarlier
        ? 'the calibration was made by an earlier version, whose degrees were others'
        : 'not a calibration',
      { path: pathOf(run), hint: `calibrate the run again: fuzzqe calibrate ${run} --data DATA` },
    );
  }
  const { checkpoint, calibration, partitions, fitted, probability } = file;
  if (checkpoint !== (of ?? (await readRunState(run)).best?.sha256)) return undefined;
  return { checkpoint, calibration, partitions: Float32Array.from(partitions), fitted, probability };
}
