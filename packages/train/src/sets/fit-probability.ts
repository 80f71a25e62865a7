import type { LogicName } from '@fuzzqe/core/logic';
import {
  type Calibration,
  candidateDegrees,
  createSetLogic,
  joinNeighbours,
  type LinkProbability,
  linkOffset,
  linkProbability,
  lowestDegree,
  type Population,
  type Reliability,
  shareCalibration,
  tailsByNeighbours,
} from '@fuzzqe/core/sets';
import { isotonicGroups, type OutcomeGroup } from './isotonic.ts';
import type { LinkCandidate } from './link-candidates.ts';

/** Candidates as they were taken. */
export interface CandidateSample {
  readonly links: number;
  readonly best: number;
  readonly candidates: readonly LinkCandidate[];
}

/**
 * Temperatures that are tried: probabilities want a sharper one than degrees, which have to let whole queries through, and models by blocks a
 * lower one the longer they were trained.
 */
export const probabilityTemperatures: readonly number[] = [0.5, 1, 2, 5, 10, 20, 45, 70, 100, 150];
/** A step of the line rests on so many candidates, or on this share of all where that is more. */
const leastGroup = { count: 20, share: 1 / 500 };

/**
 * Fits (11) by isotonic regression, at the temperature with the least log loss; undefined where there are no candidates.
 *
 * `partitions` gives z_r at a temperature.
 */
export async function fitLinkProbability(
  sample: CandidateSample,
  partitions: (temperature: number) => Promise<Float32Array>,
): Promise<Omit<LinkProbability, 'test'> | undefined> {
  const { candidates } = sample;
  if (candidates.length === 0) return undefined;
  const least = Math.max(leastGroup.count, Math.ceil(leastGroup.share * candidates.length));
  let best: { readonly loss: number; readonly fit: Omit<LinkProbability, 'test'> } | undefined;
  for (const temperature of probabilityTemperatures) {
    const z = await partitions(temperature);
    const outcomes = candidates.map((candidate) => ({
      value: logShareOf({ temperature, partitions: z }, candidate),
      true: candidate.isFact,
    }));
    const groups = isotonicGroups(outcomes, least);
    const loss = groups.reduce((sum, { count, share }) => sum + count * entropy(share), 0);
    if (best !== undefined && loss >= best.loss) continue;
    const probabilities = withoutCertainty(groups);
    const knots = groups.map(({ value }, i) => ({
      logShare: round(value),
      probability: round(probabilities[i]!),
    }));
    const fit = { temperature, partitions: Array.from(z, round), knots, fitted: populationOf(sample) };
    best = { loss, fit };
  }
  return best?.fit;
}

/** Rising shares: that none of n came true, or all, says no more than 1 / (n + 2) of it. */
function withoutCertainty(groups: readonly OutcomeGroup[]): number[] {
  return groups.map(({ count, share }, i) => {
    const [before, after] = [groups[i - 1]?.share ?? 0, groups[i + 1]?.share ?? 1];
    const least = 1 / (count + 2);
    return Math.min(Math.max(share, Math.min(least, after)), Math.max(1 - least, before));
  });
}

/** Float32 numbers with the digits that they have. */
const round = (value: number): number => Number(value.toPrecision(9));

function entropy(share: number): number {
  return share === 0 || share === 1 ? 0 : -share * Math.log(share) - (1 - share) * Math.log(1 - share);
}

/** ln of a candidate's share, on which its probability rests, as graphs give it. */
export function logShareOf(
  { temperature, partitions }: { readonly temperature: number; readonly partitions: ArrayLike<number> },
  { cosine, relation, tails }: LinkCandidate,
): number {
  const logShare =
    temperature * cosine + linkOffset(shareCalibration(temperature), partitions[relation]!, tails);
  return Math.max(logShare, Math.log(lowestDegree));
}

/** What makes probabilities of shares. */
type Line = Pick<LinkProbability, 'temperature' | 'partitions' | 'knots'>;

/** (11) of a candidate. */
const probabilityOf = (line: Line, candidate: LinkCandidate): number =>
  linkProbability(line, logShareOf(line, candidate));

/** (9) of candidates, with what neighbours say. */
export function degreesOf(
  logic: LogicName,
  calibration: Calibration,
  partitions: Float32Array,
  candidates: readonly LinkCandidate[],
): number[] {
  const predicted = candidateDegrees(
    calibration,
    candidates.map(({ cosine }) => cosine),
    candidates.map(({ relation, tails }) => linkOffset(calibration, partitions[relation]!, tails)),
  );
  const factors = candidates.map(({ exclusivity }) => exclusivity ** calibration.exclusivity);
  const degrees = Float32Array.from(factors, (factor, i) => factor * predicted[i]!);
  const said = candidates.map(({ neighbourShare, tails }, i) =>
    Math.min(calibration.cap, tailsByNeighbours(calibration, factors[i]!, tails) * neighbourShare),
  );
  joinNeighbours(createSetLogic(logic, calibration), calibration, degrees, {
    ids: Int32Array.from(candidates.keys()),
    degrees: Float32Array.from(said),
  });
  return Array.from(degrees);
}

/** How stated probabilities of candidates compare with what was held out, by tenths of [0, 1]. */
export function reliabilityOf(probability: Line, sample: CandidateSample): Reliability {
  const stated = sample.candidates.map((candidate) => ({
    ...candidate,
    stated: probabilityOf(probability, candidate),
  }));
  const bins = binsOf(stated);
  return {
    ...populationOf(sample),
    ece: errorOf(bins),
    eceOfTen: errorOf(binsOf(stated.filter(({ place }) => place < 10))),
    bins,
  };
}

/** How well probabilities tell candidates apart, beside one number for all, the share of facts among them. */
export interface LogLoss {
  /** The mean of −ln of the probability of what was found. */
  readonly stated: number;
  /** The same of the one number. */
  readonly one: number;
}

/** The log loss of stated probabilities: an expected calibration error is small for one number that fits all, and this is not. */
export function logLossOf(probability: Line, { candidates }: CandidateSample): LogLoss {
  const total = candidates.reduce((sum, candidate) => {
    const likely = probabilityOf(probability, candidate);
    return sum - Math.log(candidate.isFact ? likely : 1 - likely);
  }, 0);
  const facts = candidates.filter(({ isFact }) => isFact).length;
  return { stated: total / candidates.length, one: entropy(facts / candidates.length) };
}

function binsOf(stated: readonly (LinkCandidate & { readonly stated: number })[]): Reliability['bins'] {
  const tenths = Array.from({ length: 10 }, () => ({ count: 0, stated: 0, found: 0 }));
  for (const each of stated) {
    const bin = tenths[Math.min(9, Math.floor(10 * each.stated))]!;
    bin.count += 1;
    bin.stated += each.stated;
    bin.found += each.isFact ? 1 : 0;
  }
  return tenths
    .filter(({ count }) => count > 0)
    .map((bin) => ({ count: bin.count, stated: bin.stated / bin.count, found: bin.found / bin.count }));
}

function errorOf(bins: Reliability['bins']): number {
  const total = bins.reduce((sum, { count }) => sum + count, 0);
  return bins.reduce((sum, { count, stated, found }) => sum + (count / total) * Math.abs(stated - found), 0);
}

function populationOf({ links, best, candidates }: CandidateSample): Population {
  const facts = candidates.reduce((sum, { isFact }) => sum + (isFact ? 1 : 0), 0);
  return { links, best, candidates: candidates.length, facts };
}

/** From where on so large a share of candidates is held out, and how many of the held-out facts are among them. */
export interface PrecisionThreshold {
  readonly from: number;
  readonly precision: number;
  readonly recall: number;
}

/** So few candidates say nothing about a share. */
const fewest = 20;

/**
 * The lowest number from which on the wished share of candidates, or more, are facts; undefined where no number does it.
 *
 * Shapes: one value for each candidate. At least 20 candidates are at or above it.
 */
export function precisionThreshold(
  values: readonly number[],
  candidates: readonly LinkCandidate[],
  precision: number,
): PrecisionThreshold | undefined {
  const order = Array.from(values.keys()).sort((a, b) => values[b]! - values[a]!);
  const facts = candidates.reduce((sum, { isFact }) => sum + (isFact ? 1 : 0), 0);
  let found: PrecisionThreshold | undefined;
  let hits = 0;
  order.forEach((at, i) => {
    if (candidates[at]!.isFact) hits += 1;
    const next = order[i + 1];
    if (i + 1 < fewest || (next !== undefined && values[next] === values[at])) return;
    const reached = hits / (i + 1);
    if (reached >= precision) found = { from: values[at]!, precision: reached, recall: hits / facts };
  });
  return found;
}

/** What a threshold reaches on other candidates. */
export function precisionFrom(
  from: number,
  values: readonly number[],
  candidates: readonly LinkCandidate[],
): PrecisionThreshold {
  const above = candidates.filter((_, i) => values[i]! >= from);
  const hits = above.filter(({ isFact }) => isFact).length;
  const facts = candidates.filter(({ isFact }) => isFact).length;
  return {
    from,
    precision: above.length === 0 ? 0 : hits / above.length,
    recall: facts === 0 ? 0 : hits / facts,
  };
}
