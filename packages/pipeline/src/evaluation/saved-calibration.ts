import { join } from 'node:path';
import { type SetsEntry, setsEntrySchema } from '@fuzzqe/bundle';
import { FuzzError, type KnowledgeGraph, schema } from '@fuzzqe/core';
import {
  type LinkWeights,
  type RuleSet,
  readEvidence,
  readRules,
  writeEvidence,
  writeRules,
} from '@fuzzqe/evidence';
import { pathExists, readWholeFile, writeFileWhole } from '@fuzzqe/files';
import { readRunState } from '@fuzzqe/train';

/** How a run's best checkpoint answers by fuzzy sets. */
export interface SavedCalibration extends SetsEntry {
  /** SHA-256 of the tensors that were calibrated: `best` of `state.json` at that time. */
  readonly checkpoint: string;
  readonly weights: LinkWeights;
  readonly rules: RuleSet;
}

/** `calibration.json` in the folder of a run, next to `evidence.json` and `rules.tsv`. */
interface CalibrationFile {
  readonly format: 'fuzzqe-calibration';
  readonly version: 4;
  readonly checkpoint: string;
  readonly sets: SetsEntry;
}

const fileSchema: schema.Schema<CalibrationFile> = schema.object({
  format: schema.oneOf(['fuzzqe-calibration']),
  version: schema.oneOf([4]),
  checkpoint: schema.string,
  sets: setsEntrySchema,
});
const earlierSchema = schema.partOf({
  format: schema.oneOf(['fuzzqe-calibration']),
  version: schema.oneOf([1, 2, 3]),
});

const pathsOf = (run: string) => ({
  calibration: join(run, 'calibration.json'),
  evidence: join(run, 'evidence.json'),
  rules: join(run, 'rules.tsv'),
});

/** Keeps rules in the folder of a run: they are of its graph, whatever its checkpoint. */
export async function saveRules(
  run: string,
  rules: RuleSet,
  { entityCount }: Pick<KnowledgeGraph, 'entityCount'>,
): Promise<void> {
  const text = writeRules(rules, { entityCount, relationCount: rules.relationCount });
  await writeFileWhole(pathsOf(run).rules, text);
}

/** The rules in the folder of a run; undefined where there are none. Throws as `readRules`. */
export async function readSavedRules(
  run: string,
  counts: Pick<KnowledgeGraph, 'entityCount' | 'relationCount'>,
): Promise<RuleSet | undefined> {
  const path = pathsOf(run).rules;
  if (!(await pathExists(path))) return undefined;
  const text = (await readWholeFile(path, 'checkpoint')).toString('utf8');
  return readRules(text, { ...counts, path });
}

/** Keeps the calibration of a run's checkpoint; each file is written whole, and `calibration.json` last. Gives its path. */
export async function saveCalibration(
  run: string,
  { checkpoint, weights, rules, ...sets }: SavedCalibration,
  counts: Pick<KnowledgeGraph, 'entityCount'>,
): Promise<string> {
  const { calibration: path, evidence } = pathsOf(run);
  await saveRules(run, rules, counts);
  await writeFileWhole(evidence, writeEvidence(weights));
  const file: CalibrationFile = { format: 'fuzzqe-calibration', version: 4, checkpoint, sets };
  await writeFileWhole(path, `${JSON.stringify(file, null, 2)}\n`);
  return path;
}

/**
 * The calibration of a checkpoint, of the run's best one unless it is named; undefined where it has none, or only that of another.
 *
 * @throws FuzzError `checkpoint`: the file is damaged, or an earlier version wrote it. `bundle`, `data`: evidence or rules are damaged.
 */
export async function readSavedCalibration(run: string, of?: string): Promise<SavedCalibration | undefined> {
  const { calibration: path, evidence } = pathsOf(run);
  if (!(await pathExists(path))) return undefined;
  const text = (await readWholeFile(path, 'checkpoint')).toString('utf8');
  const file = schema.recogniseJson(fileSchema, text);
  const hint = `calibrate the run again: fuzzqe calibrate ${run} --data DATA`;
  if (file === undefined) {
    const isEarlier = schema.recogniseJson(earlierSchema, text) !== undefined;
    throw new FuzzError(
      'checkpoint',
      isEarlier
        ? 'the calibration was made by an earlier version, whose degrees were no probabilities'
        : 'not a calibration',
      { path, hint },
    );
  }
  const { model, best } = await readRunState(run);
  if (file.checkpoint !== (of ?? best?.sha256)) return undefined;
  const { entities: entityCount, relations: relationCount } = model;
  const rules = await readSavedRules(run, { entityCount, relationCount });
  if (rules === undefined)
    throw new FuzzError('checkpoint', 'expected rules beside the calibration, got no file', {
      path: pathsOf(run).rules,
      hint,
    });
  const weights = readEvidence(
    (await readWholeFile(evidence, 'checkpoint')).toString('utf8'),
    relationCount,
    evidence,
  );
  return { checkpoint: file.checkpoint, ...file.sets, weights, rules };
}
