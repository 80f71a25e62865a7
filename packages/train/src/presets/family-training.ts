import { structureNames, structures } from '@fuzzqe/core/query';
import { type AnyFamilyName, familyOf, structuresOf } from '@fuzzqe/model';
import type { TrainingConfig } from '../config.ts';
import { withSampledNegatives } from './default-training.ts';
import { type PresetName, presets } from './presets.ts';

/** What a comparison of families trains on: facts as 1p queries, or queries of all structures that the family can learn from. */
export const trainedOnNames = ['links', 'all'] as const;
export type TrainedOn = (typeof trainedOnNames)[number];

/** The preset of each family, for any graph. A family without a preset takes no part in a comparison. */
export const familyPresets: Readonly<Partial<Record<AnyFamilyName, PresetName>>> = {
  bases: 'bases',
  blocks: 'links',
  gqe: 'gqe',
  gqeDeepSets: 'gqe',
  query2box: 'query2box',
  betae: 'betae',
  betaeDm: 'betae',
  complex: 'complex',
};

/** How many vectors make up a query of a family: families that share a preset have vectors of one length. */
const partsOf = (relationForm: AnyFamilyName): number => familyOf({ relationForm }).queryParts ?? 1;

/**
 * How a family trains in a comparison of families; undefined if the family has no preset.
 *
 * On `all`, a batch has the queries of the preset `countries`, without the structures that the family does not embed.
 * Ranges: `entities`, |E|, at least 1.
 *
 * @example
 * familyTraining('gqe', { entities: 271, trainedOn: 'links' });
 */
export function familyTraining(
  family: AnyFamilyName,
  { entities, trainedOn }: { readonly entities: number; readonly trainedOn: TrainedOn },
): TrainingConfig | undefined {
  const name = familyPresets[family];
  if (name === undefined) return undefined;
  const { model, ...options } = withSampledNegatives(presets[name].training, entities);
  const dimension = (model.dimension * partsOf(family)) / partsOf(model.relationForm);
  const training = { ...options, model: { ...model, relationForm: family, dimension } };
  const { batch } = presets.countries.training;
  if (trainedOn === 'links') return { ...training, batch: { '1p': training.batch['1p'] ?? 0 } };
  const learned = structuresOf(training.model).filter((each) => structures[each].trained);
  return {
    ...training,
    targets: 'drawn',
    batch: Object.fromEntries(
      structureNames.filter((each) => learned.includes(each)).map((each) => [each, batch[each] ?? 0]),
    ),
    validation: { ...training.validation, mode: 'embedding' },
  };
}
