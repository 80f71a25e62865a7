import { type FeatureName, featureCount, featureNames } from './features.ts';
import type { LinkWeights } from './link-weights.ts';

/** The common weights of graphs of several owners, for a graph on which nothing can be fitted. */
const usual: Readonly<Record<'withModel' | 'without', Readonly<Record<FeatureName, number>>>> = {
  withModel: {
    constant: -2,
    share: 1.6,
    tails: 0.6,
    functional: 1.2,
    inverseFunctional: 0.8,
    range: 1,
    domain: 0.8,
    frequency: 0.3,
    neighbours: 0.4,
    bestRule: 1,
    joinedRules: 0.8,
    hasRule: -0.5,
  },
  without: {
    constant: -2,
    share: 0,
    tails: 0.6,
    functional: 1.2,
    inverseFunctional: 0.8,
    range: 1.5,
    domain: 0.8,
    frequency: 1,
    neighbours: 0.8,
    bestRule: 1.4,
    joinedRules: 1,
    hasRule: -0.5,
  },
};

/** The weights of evidence where no facts are held out to fit them on: the same for each relation. */
export function defaultWeights(
  relationCount: number,
  { temperature = null, typeRelations = [] }: Partial<Omit<LinkWeights, 'relations'>> = {},
): LinkWeights {
  const of = usual[temperature === null ? 'without' : 'withModel'];
  const relations = new Float64Array(relationCount * featureCount);
  for (let at = 0; at < relations.length; at += 1) relations[at] = of[featureNames[at % featureCount]!];
  return { temperature, typeRelations, relations };
}
