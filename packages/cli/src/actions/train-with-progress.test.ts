import { plainTraining, type RunResult } from '@fuzzqe/train';
import { describe, expect, it } from 'vitest';
import { createTrainingProgress } from './train-with-progress.ts';

/** What is noted of a run that goes on from step 10 of 20 and validates before it trains. */
function noted(best: RunResult['state']['best'], ended: RunResult['ended'] = 'finished'): string[] {
  const lines: string[] = [];
  const terminal = { out() {}, note: (line: string) => void lines.push(line), status() {} };
  const progress = createTrainingProgress(
    { ...terminal, live: false, columns: 80 },
    (steps) => `--steps ${steps}`,
  );
  const validation = { mrr: 0.25, structures: { '1p': 0.25 }, improved: true };
  if (best?.mrr !== undefined) progress.onValidation({ step: 10, ...validation });
  progress.onStep({
    step: 11,
    steps: 20,
    isOpen: false,
    loss: 2,
    learningRate: 0.1,
    learned: async () => ({}),
  });
  if (best?.mrr !== undefined) progress.onValidation({ step: 11, ...validation, improved: false });
  const state: RunResult['state'] = {
    format: 'fuzzqe-run',
    version: 1,
    model: { ...plainTraining.model, entities: 9, relations: 4 },
    config: {},
    data: { name: 'mine', licence: 'unknown', sha256: '' },
    device: 'cpu',
    status: 'finished',
    best,
  };
  progress.finish({ state, ended, step: 11, waited: 0 });
  return lines;
}

const saved = { file: '', sha256: '', step: 11 };

describe('the progress of training', () => {
  it('names the loss of steps that were trained here, and none before the first', () => {
    const [before, after, end] = noted({ ...saved, mrr: 0.25 });
    expect(before).toBe('step 10: validation MRR 25.0 %, the best so far');
    expect(after).toBe('step 11: loss 2.000  validation MRR 25.0 %');
    expect(end).toMatch(/at step 11 after .*; best validation MRR 25\.0 % at step 11$/);
  });

  it.each([
    ['stalled', /^Training ended, since validation has stalled, at step 11 /],
    ['minutes', /^Training ended, since its minutes are used up, at step 11 /],
  ] as const)('says why it ended and how to go on: %s', (ended, expected) => {
    const lines = noted({ ...saved, mrr: 0.25 }, ended);
    expect(lines.at(-2)).toMatch(expected);
    expect(lines.at(-1)).toBe('To train for longer: --steps 22');
    expect(noted({ ...saved, mrr: 0.25 }).join()).not.toContain('To train for longer');
  });

  it('has no figure of a validation where nothing is validated', () => {
    const lines = noted(saved);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/^Training finished at step 11 after .*; kept: step 11$/);
    expect(lines.join()).not.toMatch(/NaN|MRR|undefined|Infinity/);
  });
});
