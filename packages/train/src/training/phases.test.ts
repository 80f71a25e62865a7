import { createKnowledgeGraph } from '@fuzzqe/core';
import { tinyDataset } from '@fuzzqe/data/testing';
import { describe, expect, it } from 'vitest';
import type { TrainingConfig } from '../config.ts';
import { ortCpuRuntime } from '../runtimes/ort-runtime.ts';
import { tinyConfig, tinyModel } from '../testing/tiny-run.ts';
import { phasesOf } from './phases.ts';
import { type TrainingPosition, train } from './trainer.ts';

const sampled: TrainingConfig['negatives'] = { kind: 'shared', count: 5, byDegree: 0.5, allFrom: 1 };

describe('the phases of a run', () => {
  const phases = (changes: Partial<TrainingConfig>) =>
    phasesOf(tinyConfig({ steps: 20, batch: { '1p': 6, '2i': 3 }, ...changes })).map(
      ({ from, until, config }) => ({
        steps: [from, until],
        structures: Object.keys(config.batch),
        negatives: config.negatives.kind,
      }),
    );
  const links = ['1p'];
  const whole = ['1p', '2i'];

  it.each([
    ['one where nothing changes', {}, [{ steps: [0, 20], structures: whole, negatives: 'all' }]],
    [
      'one for the links before the other structures',
      { complexFrom: 0.25 },
      [
        { steps: [0, 5], structures: links, negatives: 'all' },
        { steps: [5, 20], structures: whole, negatives: 'all' },
      ],
    ],
    [
      'three where structures and all entities come at different steps',
      { complexFrom: 0.81, negatives: { ...sampled, allFrom: 0.5 } },
      [
        { steps: [0, 10], structures: links, negatives: 'shared' },
        { steps: [10, 17], structures: links, negatives: 'all' },
        { steps: [17, 20], structures: whole, negatives: 'all' },
      ],
    ],
    [
      'one for links compared with all entities from the start',
      { complexFrom: 1, negatives: { ...sampled, allFrom: 0 } },
      [{ steps: [0, 20], structures: links, negatives: 'all' }],
    ],
    [
      'one where there are no other structures to begin with',
      { complexFrom: 0.5, batch: { '1p': 6, '2i': 0 } },
      [{ steps: [0, 20], structures: whole, negatives: 'all' }],
    ],
    [
      'no border at the end of the run',
      { negatives: sampled },
      [{ steps: [0, 20], structures: whole, negatives: 'shared' }],
    ],
  ])('are %s', (_, changes, expected) => {
    expect(phases(changes)).toEqual(expected);
  });
});

describe('all entities for the last part of a run', () => {
  const graph = tinyDataset('tiny', 1).graphs().train;
  const run = async (
    negatives: TrainingConfig['negatives'],
    stopAt: number,
    resume?: TrainingPosition,
  ): Promise<TrainingPosition> => {
    const config = tinyConfig({ batch: { '1p': 6 }, negatives });
    const stop = new AbortController();
    const { step, state } = await train({
      model: tinyModel(config),
      config,
      graph: createKnowledgeGraph({
        entityCount: graph.entityCount,
        relationCount: graph.relationCount,
        triples: graph.forwardTriples(),
      }),
      queries: [],
      runtime: ortCpuRuntime({ threads: 1 }),
      onStep: (at) => void (at.step === stopAt && stop.abort()),
      signal: stop.signal,
      ...(resume === undefined ? {} : { resume: { ...resume, validated: true } }),
    });
    return { step, state };
  };

  it('leave what comes before as a sample trains it, and what comes after as all entities do', async () => {
    const late = { ...sampled, allFrom: 0.6 };
    const before = await run(late, 12);
    expect(before).toEqual(await run(sampled, 12));
    const after = await run(late, 20, before);
    expect(after).toEqual(await run({ ...sampled, kind: 'all' }, 20, before));
    expect(after).not.toEqual(await run(sampled, 20, before));
  });
});
