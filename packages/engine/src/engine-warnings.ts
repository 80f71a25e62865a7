import { modesOf } from '@fuzzqe/bundle';
import { embeddingOnly } from './create-answering.ts';
import type { EngineManifest } from './engine-manifest.ts';
import { withoutModel } from './ranker/no-model.ts';

/** What anyone who reads answers should know. */
export function warningsOf({ model, sets, ...manifest }: EngineManifest): string[] {
  if (!modesOf(manifest).includes('sets')) return [embeddingOnly];
  const usual = model === null ? usualWeights : unfitted;
  return [...(model === null ? [withoutModel] : []), ...(sets.fitted === null ? [usual] : [])];
}

const usualWeights =
  'default-calibration: degrees are by the default weights of evidence: the graph has too few facts to fit its own';
const unfitted =
  'default-calibration: degrees are by the default weights of evidence; with 20 validation facts or more, fuzzqe calibrate fits weights of this graph';
