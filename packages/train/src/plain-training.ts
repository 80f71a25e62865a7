import { plainModel } from '@fuzzqe/model';
import type { TrainingConfig } from './config.ts';

/**
 * A run of `plainModel` in which every option is off: no dropout, no decay, no clipping, a constant rate.
 *
 * Fixtures and measurements say only in what theirs differ.
 */
export const plainTraining: TrainingConfig = {
  model: plainModel,
  loss: { name: 'softmax', margin: 10, scale: 20, temperature: 20, smoothing: 0, knownAnswers: 'masked' },
  regularisers: {},
  negatives: { kind: 'all', count: 1, byDegree: 0, allFrom: 1 },
  answers: 1,
  targets: 'drawn',
  relationPrediction: 0,
  links: { pairs: 0.5, edges: 0.5 },
  batch: {},
  complexFrom: 0,
  dropout: { input: 0, output: 0 },
  weights: {},
  initialisation: 'centred',
  projection: 'grouped',
  optimiser: {
    learningRate: 0.001,
    schedule: { kind: 'constant', warmupSteps: 0, finalShare: 1 },
    decay: { entities: 0, coefficients: 0, bases: 0, biasBases: 0 },
    clipNorm: 0,
    rows: 'all',
  },
  steps: 1000,
  seed: 1,
  validation: { every: 1000, patience: 1000, mode: 'embedding' },
};
