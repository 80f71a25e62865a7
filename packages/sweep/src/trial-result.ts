import { schema } from '@fuzzqe/core';
import type { SweepStore } from './store/sweep-store.ts';
import { trialKeys } from './store/trial-keys.ts';

/** How a trial ended: as its configuration says, before that, or not at all. */
export const trialOutcomes = ['finished', 'stalled', 'pruned', 'budget', 'failed'] as const;
export type TrialOutcome = (typeof trialOutcomes)[number];

/** The metric of a sweep at a step. */
export interface TrialValue {
  readonly step: number;
  readonly value: number;
}

/** What is known of a trial that has ended. */
export interface TrialResult {
  readonly trial: number;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly outcome: TrialOutcome;
  /** The metric of the parameters that are kept, and the step they are of; absent where nothing was validated. */
  readonly best?: TrialValue | undefined;
  /** Steps that were trained. */
  readonly steps: number;
  /** All validations, in order. */
  readonly values: readonly TrialValue[];
  /** Seconds of training. */
  readonly seconds: number;
  /** The claim under which its run stands. */
  readonly claim: number;
  /** What a trial that failed ended with. */
  readonly error?: string | undefined;
}

const step = schema.integer({ min: 0 });
/** A value as stores hold it. */
export const trialValueSchema: schema.Schema<TrialValue> = schema.object({ step, value: schema.number() });
const resultSchema: schema.Schema<TrialResult> = schema.object({
  trial: schema.integer({ min: 0 }),
  parameters: schema.record(schema.anything),
  outcome: schema.oneOf(trialOutcomes),
  best: schema.optional(trialValueSchema),
  steps: step,
  values: schema.array(trialValueSchema),
  seconds: schema.number({ min: 0 }),
  claim: schema.integer({ min: 1 }),
  error: schema.optional(schema.string),
});

/** The result of a trial; undefined where it has none yet. @throws FuzzError `data`: it is damaged. */
export async function readResult(store: SweepStore, trial: number): Promise<TrialResult | undefined> {
  const key = trialKeys.result(trial);
  const found = await store.read(key);
  if (found === undefined) return undefined;
  return schema.parseJson(resultSchema, found.text, {
    code: 'data',
    what: 'result of a trial',
    path: `${store.name}/${key}`,
  });
}
