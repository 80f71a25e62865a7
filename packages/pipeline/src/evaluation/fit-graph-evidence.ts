import { availableParallelism } from 'node:os';
import type { SetsEntry } from '@fuzzqe/bundle';
import {
  createKnowledgeGraph,
  createRandom,
  expectOptions,
  FuzzError,
  type KnowledgeGraph,
  type Random,
  type Vocabulary,
} from '@fuzzqe/core';
import { createSetLogic, defaultProjection } from '@fuzzqe/core/sets';
import { type Dataset, splitTriples } from '@fuzzqe/data';
import {
  createLinkDegrees,
  createRuleIndex,
  defaultWeights,
  entailedGraph,
  findTypeRelations,
  type LinkWeights,
  type RuleSet,
} from '@fuzzqe/evidence';
import { mineRules } from '@fuzzqe/evidence/mining';
import { lookingAtLinks, miningRound, recordedShareOf, usualRounds, validShare } from './calibrate-run.ts';
import { type FittedLinks, fitLinks, leastHidden } from './fit-links.ts';
import { hiddenFacts, withEntailed } from './hidden-facts.ts';
import { judgeDegrees } from './judge-degrees.ts';

/** A graph without held-out facts. */
export interface PlainGraph {
  readonly vocabulary: Vocabulary;
  readonly facts: KnowledgeGraph;
}

/** What evidence is fitted on, and for how long. */
export interface FitGraphOptions extends Partial<PlainGraph> {
  /** A data set, instead of a vocabulary and facts. */
  readonly dataset?: Dataset;
  /** About how many seconds all of it takes. Default: 6, or as long as the rounds that are asked for take. */
  readonly seconds?: number;
  /** How many rounds of mining at most: without `seconds` the same graph and seed give the same rules on every machine. Default: 4, of large graphs fewer. */
  readonly rounds?: number;
  /** Chance of the rules and of what is hidden. Default: the same each time. */
  readonly random?: Random;
  /** Default: as many as there are. */
  readonly threads?: number;
  /** Whether degrees are compared with the test facts of a data set. Default false: it takes some seconds more. */
  readonly judge?: boolean;
  readonly onProgress?: (what: string, unit: string, done: number, total: number) => void;
  readonly signal?: AbortSignal;
}

/** Evidence that answers without a model. */
export interface FittedGraph extends Pick<SetsEntry, 'fitted' | 'reliability'> {
  /** Without a temperature. Null `fitted` says that they are the usual ones. */
  readonly weights: LinkWeights;
  readonly rules: RuleSet;
}

/** The share of the facts that is hidden if none are held out. */
const hiddenShare = 0.1;
/** The share of the usual links that a fit in seconds takes: it ranks as well, within half a point. */
const fittedPart = 0.6;
/** The share of the time that rules are mined in, of all facts and of those that are not hidden. */
const miningShare = 0.6;

/**
 * Mines rules and fits what joins the evidence of links, without a model.
 *
 * Weights are fitted on the validation facts of a data set. With fewer than 20 validation facts a tenth of the facts is hidden for the fit; every entity
 * and every relation keeps a fact. The rules are then mined on all facts. With fewer than 20 hidden facts the weights are the usual ones, and
 * `fitted` is null.
 *
 * @throws FuzzError `usage`: neither a data set nor a vocabulary with its facts, or both. `range`: the seconds or rounds. `interrupted`: the
 * signal was raised.
 * @example
 * const { weights, rules } = await fitGraphEvidence({ dataset: loadCountries() });
 */
export async function fitGraphEvidence(options: FitGraphOptions): Promise<FittedGraph> {
  expectOptions('fitGraphEvidence', options, []);
  const { vocabulary, recorded, larger, hiddenCount, knownShare, all } = splitOf(options);
  const typeRelations = findTypeRelations(vocabulary);
  const canFit = hiddenCount >= leastHidden;
  // Rules are mined twice from a graph whose facts are hidden here.
  const part = canFit && recorded !== all ? miningShare / 2 : miningShare;
  const known = canFit ? await mine(options, recorded, part) : undefined;
  const found =
    known === undefined
      ? undefined
      : await fitKnown(options, {
          ...hiddenFacts(recorded, withEntailed(larger, vocabulary), vocabulary),
          ...{ rejected: options.dataset?.rejected, knownShare, rules: known, typeRelations },
        });
  const rules = known === undefined || recorded !== all ? await mine(options, all, part) : known;
  const weights = found?.weights ?? defaultWeights(all.relationCount, { typeRelations });
  return { weights, rules, fitted: found?.fitted ?? null, reliability: await judge(options, weights, rules) };
}

interface Split {
  readonly vocabulary: Vocabulary;
  /** The facts that the fit knows, and these facts with the hidden ones. */
  readonly recorded: KnowledgeGraph;
  readonly larger: KnowledgeGraph;
  readonly hiddenCount: number;
  readonly knownShare: number;
  /** The facts that rules are mined from. */
  readonly all: KnowledgeGraph;
}

function splitOf({ dataset, vocabulary, facts, random = usualRandom() }: FitGraphOptions): Split {
  if (dataset !== undefined && vocabulary === undefined && facts === undefined) {
    const { train, trainValid } = dataset.graphs();
    const hiddenCount = dataset.valid.length / 3;
    if (hiddenCount >= leastHidden)
      return {
        vocabulary: dataset.vocabulary,
        ...{ recorded: train, larger: trainValid, hiddenCount, knownShare: validShare(dataset), all: train },
      };
    return hideSome(dataset.vocabulary, train, random);
  }
  if (dataset === undefined && vocabulary !== undefined && facts !== undefined)
    return hideSome(vocabulary, facts, random);
  throw new FuzzError(
    'usage',
    'fitGraphEvidence: expected a data set, or a vocabulary and facts, got neither or both',
    {
      hint: 'As { dataset }, or as { vocabulary, facts }.',
    },
  );
}

function hideSome(vocabulary: Vocabulary, facts: KnowledgeGraph, random: Random): Split {
  const { entityCount, relationCount } = facts;
  const { train, valid } = splitTriples(facts.forwardTriples(), {
    ...{ entityCount, valid: hiddenShare, test: 0 },
    random: random.fork('hidden'),
  });
  const recorded =
    valid.length === 0 ? facts : createKnowledgeGraph({ entityCount, relationCount, triples: train });
  return {
    ...{ vocabulary, recorded, larger: facts, hiddenCount: valid.length / 3, knownShare: 1, all: facts },
  };
}

async function mine(
  {
    seconds,
    rounds,
    random = usualRandom(),
    threads = availableParallelism(),
    onProgress,
    signal,
  }: FitGraphOptions,
  facts: KnowledgeGraph,
  part: number,
): Promise<RuleSet> {
  const { relationCount, rules } = await mineRules(facts, {
    random: random.fork('rules'),
    // Rounds that are asked for are all completed, so that their rules depend on no clock.
    ...(rounds !== undefined && seconds === undefined ? {} : { seconds: part * (seconds ?? usualSeconds) }),
    workers: Math.max(0, Math.min(threads, availableParallelism()) - 1),
    onProgress: ({ done, total, round }) => onProgress?.(miningRound(round), 'relations', done, total),
    rounds: rounds ?? usualRounds(facts.edgeCount / 2),
    ...(signal === undefined ? {} : { signal }),
  });
  return { relationCount, rules };
}

function fitKnown(
  { onProgress, signal }: FitGraphOptions,
  task: Omit<Parameters<typeof fitLinks>[0], 'scores'>,
): Promise<FittedLinks | undefined> {
  return fitLinks({
    ...task,
    scores: undefined,
    part: fittedPart,
    onProgress: (done, total) => onProgress?.(lookingAtLinks, 'links', done, total),
    signal,
  });
}

async function judge(
  { dataset, judge: wanted = false, onProgress, signal }: FitGraphOptions,
  weights: LinkWeights,
  rules: RuleSet,
): Promise<FittedGraph['reliability']> {
  if (dataset === undefined || !wanted) return null;
  const facts = dataset.graphs().trainValid;
  const recordedShare = recordedShareOf(dataset);
  const entailed = entailedGraph(facts, dataset.vocabulary);
  const links = createLinkDegrees({
    ...{ facts, entailed, weights, recordedShare },
    rules: createRuleIndex(rules),
  });
  const state = { links, facts, logic: createSetLogic('product'), projection: defaultProjection };
  const { typeRelations } = weights;
  return judgeDegrees({ dataset, onProgress, signal }, { ...state, entailed, typeRelations });
}

const usualSeconds = 6;
const usualRandom = (): Random => createRandom('evidence');
