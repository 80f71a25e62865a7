import { createSetLogic, defaultProjection } from '@fuzzqe/core/sets';
import { createLinkDegrees, createRuleIndex, entailedGraph } from '@fuzzqe/evidence';
import { fitKnown, recordedShareOf } from '../evaluation/calibrate-run.ts';
import { calibrationParts } from '../evaluation/calibration-parts.ts';
import { degreesBy, scorerOf } from '../evaluation/open-checkpoint.ts';
import { type MeasuredData, type ModeFigures, rankedFigures } from './measure-run.ts';
import { withoutModel } from './reproduction.ts';
import { sharedRules } from './shared-rules.ts';

/**
 * Measures what rules, schema and facts answer in mode `sets` without a model.
 *
 * All rows share the rules, and the weights are fitted on the same validation facts as the weights of a model.
 */
export async function measureEvidence(task: MeasuredData): Promise<readonly ModeFigures[]> {
  const { dataset, part } = task;
  const { train, trainValid } = dataset.graphs();
  const rules = await sharedRules(task, train);
  const { weights } = await fitKnown({ ...task, dataset: calibrationParts(dataset), part: 1 }, rules);
  const facts = part === 'test' ? trainValid : train;
  const links = createLinkDegrees({
    ...{ facts, weights, rules: createRuleIndex(rules) },
    entailed: entailedGraph(facts, dataset.vocabulary),
    recordedShare: part === 'test' ? recordedShareOf(dataset) : 0,
  });
  const state = { links, facts, logic: createSetLogic('product'), projection: defaultProjection };
  const score = scorerOf(facts.entityCount, degreesBy(state));
  return rankedFigures(task, [
    { name: withoutModel, mode: 'sets', open: async () => ({ score, close: async () => {} }) },
  ]);
}
