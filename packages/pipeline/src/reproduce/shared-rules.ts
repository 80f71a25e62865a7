import type { KnowledgeGraph } from '@fuzzqe/core';
import type { RuleSet } from '@fuzzqe/evidence';
import { openRules } from '../evaluation/calibrate-run.ts';
import { readSavedRules, saveRules } from '../evaluation/saved-calibration.ts';
import type { MeasuredData } from './measure-run.ts';

/** The rules of the training facts, which all rows of a folder share: the rules that an earlier row has left, or rules that are mined and kept. */
export async function sharedRules(
  { shared: run, threads, onProgress, signal }: MeasuredData,
  facts: KnowledgeGraph,
): Promise<RuleSet> {
  const kept = await readSavedRules(run, facts);
  if (kept !== undefined) return kept;
  const rules = await openRules({ run, threads, renewRules: true, onProgress, signal }, facts);
  await saveRules(run, rules, facts);
  return rules;
}
