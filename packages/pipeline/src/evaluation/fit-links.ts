import type { SetsEntry } from '@fuzzqe/bundle';
import { createRandom } from '@fuzzqe/core';
import {
  createRuleIndex,
  drawLinks,
  evidenceTemperatures,
  fitEvidence,
  type LinkScores,
  type LinkWeights,
  type RuleSet,
  sampleCandidates,
} from '@fuzzqe/evidence';
import type { HiddenFacts } from './hidden-facts.ts';

/** What weights of evidence are fitted on. */
export interface FitLinksTask extends HiddenFacts {
  /** The share of all hidden facts that `hidden` has, in (0, 1]. */
  readonly knownShare: number;
  /** Links that somebody rejected: flat h, r, t. */
  readonly rejected: Int32Array | undefined;
  readonly rules: RuleSet;
  readonly typeRelations: readonly number[];
  /** Undefined without a model. */
  readonly scores: LinkScores | undefined;
  /** The share of the usual number of links, in (0, 1]. Default 1. */
  readonly part?: number;
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Weights, and what they were fitted on. */
export interface FittedLinks {
  readonly weights: LinkWeights;
  readonly fitted: NonNullable<SetsEntry['fitted']>;
}

/** Links that weights are fitted on: with a hidden fact, and without. */
const fittedLinks = { withFact: 1200, without: 1500 } as const;

/** Fewer hidden facts say nothing of twelve weights. */
export const leastHidden = 20;

/** Fits the weights of evidence on hidden facts; undefined with fewer than 20 hidden facts, or if no candidate is a hidden fact. */
export async function fitLinks(task: FitLinksTask): Promise<FittedLinks | undefined> {
  if (task.hidden.length < 3 * leastHidden) return undefined;
  const {
    facts,
    entailed,
    hidden,
    rejected,
    knownShare,
    rules,
    typeRelations,
    scores,
    part = 1,
    onProgress,
    signal,
  } = task;
  const links = drawLinks({
    ...{ facts, hidden, rejected, typeRelations },
    random: createRandom('links', 'valid'),
    withFact: Math.ceil(part * fittedLinks.withFact),
    without: Math.ceil(part * fittedLinks.without),
  });
  const sample = await sampleCandidates({
    ...{ facts, entailed, rules: createRuleIndex(rules), scores, links, typeRelations, signal },
    temperatures: scores === undefined ? [] : evidenceTemperatures,
    ...(onProgress === undefined ? {} : { onProgress }),
  });
  const found = sample.found.reduce((sum, each) => sum + each, 0);
  const hasModel = scores !== undefined;
  const { relationCount } = facts;
  const fit = fitEvidence(sample, { relationCount, typeRelations, knownShare, hasModel });
  if (fit === undefined) return undefined;
  const { weights } = fit;
  return { weights, fitted: { links: links.length, candidates: sample.found.length, found, knownShare } };
}
