import { join } from 'node:path';
import { FuzzError } from '@fuzzqe/core';
import { pathExists } from '@fuzzqe/files';
import { readRunState, type TrainingConfig } from '@fuzzqe/train';

/** Refuses fewer steps than runs have: their figures would be those of other steps. Throws 'usage'. */
export async function expectNoLongerRuns(
  jobs: readonly { readonly run: string; readonly config: TrainingConfig | undefined }[],
): Promise<void> {
  const longer: { readonly run: string; readonly step: number; readonly asked: number }[] = [];
  for (const { run, config } of jobs) {
    if (config === undefined || !(await pathExists(join(run, 'state.json')))) continue;
    const step = (await readRunState(run)).last?.step ?? 0;
    if (step > config.steps) longer.push({ run, step, asked: config.steps });
  }
  const [first] = longer;
  if (first === undefined) return;
  const steps = longer.map(({ step }) => step);
  const [least, most] = [Math.min(...steps), Math.max(...steps)];
  const had = least === most ? `${most}` : `${least} to ${most}`;
  throw new FuzzError(
    'usage',
    `steps: expected at least the ${had} that runs in the folder have, got ${first.asked}`,
    { path: first.run, hint: `Ask for at least ${most} steps (--steps), or choose another folder (--out).` },
  );
}
