import { logicNames } from '@fuzzqe/core/logic';
import { lossNames } from '../loss/losses.ts';
import { negativesNames } from '../negatives/negatives.ts';
import { tinyConfig } from './tiny-run.ts';
import type { ContractCase } from './training-contract.ts';

const { loss, model, optimiser } = tinyConfig();

/** What else the cases differ by, so that each option of a run is in one of them. */
const variations = [
  {},
  {
    dropout: { input: 0.2, output: 0.1 },
    weights: { '1p': 2, pni: 0.5 },
    initialisation: 'paper' as const,
    optimiser: { ...optimiser, clipNorm: 0.05 },
  },
  {
    model: {
      ...model,
      mapping: 'boundedRectifier' as const,
      entityMapping: 'boundedRectifier' as const,
      entityNormalisation: 'l1' as const,
      projectionInput: 'raw' as const,
    },
  },
];

/**
 * Every loss, every logic and every kind of negatives once, for devices that are imitated on the CPU: these take a
 * millisecond and more to begin each operation, so the batch has few structures, two hops, ∧ and ¬ among them.
 */
export const reducedCases: readonly ContractCase[] = variations.map((variation, at) => {
  const [name, logic, kind] = [lossNames[at]!, logicNames[at]!, negativesNames[at]!];
  const config = tinyConfig(
    {
      ...variation,
      loss: { ...loss, name, margin: 8, scale: 12 },
      negatives: { kind, count: 5, byDegree: 0, allFrom: 1 },
      batch: { '1p': 6, pni: 4 },
    },
    logic,
  );
  return {
    name: `${name} loss, ${logic} logic, ${kind} negatives`,
    config: { ...config, model: { ...config.model, logic } },
  };
});
