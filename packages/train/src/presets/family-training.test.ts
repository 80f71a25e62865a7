import { type FamilyName, familyNames, structuresOf } from '@fuzzqe/model';
import { describe, expect, it } from 'vitest';
import { isLinksAlone } from './default-training.ts';
import { familyPresets, familyTraining } from './family-training.ts';
import { presets } from './presets.ts';

const trained = familyNames.filter((family) => familyPresets[family] !== undefined);

describe.each(trained)('the training of %s in a comparison', (family) => {
  it('is of its own family, and ends when validation stalls', () => {
    for (const trainedOn of ['links', 'all'] as const) {
      const { model, optimiser } = familyTraining(family, { entities: 1000, trainedOn })!;
      expect(model.relationForm).toBe(family);
      expect(optimiser.schedule.kind).toBe('plateau');
    }
  });

  it('has links alone, or every trained structure that the family embeds', () => {
    expect(isLinksAlone(familyTraining(family, { entities: 1000, trainedOn: 'links' })!)).toBe(true);
    const { batch, targets } = familyTraining(family, { entities: 1000, trainedOn: 'all' })!;
    expect(Object.keys(batch)).toEqual(
      Object.keys(presets.countries.training.batch).filter((name) =>
        structuresOf({ relationForm: family }).some((each) => each === name),
      ),
    );
    expect(targets).toBe('drawn');
  });

  it('compares with no more entities than there are, and with a sample of many', () => {
    const few = familyTraining(family, { entities: 20, trainedOn: 'links' })!.negatives;
    expect(few.kind === 'all' || few.count <= 20).toBe(true);
    expect(familyTraining(family, { entities: 63_361, trainedOn: 'links' })!.negatives.kind).not.toBe('all');
  });
});

it('every family takes part', () => {
  expect(trained).toEqual(familyNames);
});

it.each([
  ['betae', 'betaeDm', 1 / 2],
  ['gqe', 'gqeDeepSets', 3 / 2],
] as const)(
  '%s and %s train with the same numbers for an entity, and differ in the dimension only',
  (one, other, ratio) => {
    const of = (family: FamilyName) => familyTraining(family, { entities: 1000, trainedOn: 'links' })!;
    const { model, ...options } = of(one);
    expect(of(other)).toEqual({
      ...options,
      model: { ...model, relationForm: other, dimension: ratio * model.dimension },
    });
  },
);
