import { array, checked, integer, nullable, number, object, type Schema } from '../input/schema.ts';
import { type Calibration, defaultCalibration } from './calibration.ts';

/**
 * How likely a link is that is not recorded: (11), its share at a temperature of its own, read on a rising line.
 *
 * It was fitted on held-out facts: candidates are, of links (h, r) with a held-out fact, the entities with the highest
 * shares that are not recorded, and a candidate counts where its fact was held out.
 */
export interface LinkProbability {
  /** τ' */
  readonly temperature: number;
  /** z'_r at τ' [|R|]. */
  readonly partitions: readonly number[];
  /** The line: ln of the share exp(τ' cos − z'_r), ascending, and the probability there. */
  readonly knots: readonly Knot[];
  /** What it was fitted on. */
  readonly fitted: Population;
  /** How it did on facts of the test; null where none are held out. */
  readonly test: Reliability | null;
}

/** A point of the line. */
export interface Knot {
  readonly logShare: number;
  readonly probability: number;
}

/** The candidates of some links. */
export interface Population {
  /** How many links (h, r). */
  readonly links: number;
  /** How many candidates each has, at most. */
  readonly best: number;
  readonly candidates: number;
  /** How many of them are held-out facts. */
  readonly facts: number;
}

/** How stated probabilities compare with what was found. */
export interface Reliability extends Population {
  /** Expected calibration error: the mean over candidates of |stated − found| of their tenth of [0, 1]. */
  readonly ece: number;
  /** The same of the ten best candidates of each link. */
  readonly eceOfTen: number;
  /** The tenths that have candidates: how many, the mean stated probability and the share of facts. */
  readonly bins: readonly { readonly count: number; readonly stated: number; readonly found: number }[];
}

const share = number({ min: 0, max: 1 });
const count = integer({ min: 0 });
const population = { links: count, best: count, candidates: count, facts: count };
const reliability: Schema<Reliability> = object({
  ...population,
  ece: share,
  eceOfTen: share,
  bins: array(object({ count, stated: share, found: share })),
});

/** Reads one from JSON. */
export const linkProbabilitySchema: Schema<LinkProbability> = object({
  temperature: number({ above: 0, max: 1000 }),
  partitions: array(number()),
  knots: checked(array(object({ logShare: number(), probability: share }), { min: 1 }), (knots, report) => {
    const falls = knots.findIndex(({ logShare }, i) => i > 0 && logShare < knots[i - 1]!.logShare);
    if (falls > 0)
      report([falls, 'logShare'], `at least ${knots[falls - 1]!.logShare}`, `${knots[falls]!.logShare}`);
  }),
  fitted: object(population),
  test: nullable(reliability),
});

/**
 * (11) The probability of a link by the logarithm of its share: straight lines between knots, level beyond them.
 *
 * Shapes: ln of a share by `shareCalibration` → [0, 1].
 */
export function linkProbability({ knots }: Pick<LinkProbability, 'knots'>, logShare: number): number {
  const after = knots.findIndex((knot) => knot.logShare >= logShare);
  if (after <= 0) return knots.at(after)!.probability;
  const [low, high] = [knots[after - 1]!, knots[after]!];
  const part = (logShare - low.logShare) / (high.logShare - low.logShare);
  return low.probability + part * (high.probability - low.probability);
}

/** No share is so large: of a link that is far from its relation's mean one may be above 1. */
const mostShare = 1e30;

/**
 * A calibration with which predicted degrees of links are shares, exp(τ' cos − z'_r), where `partitions` are those of τ'.
 *
 * Ranges: shares of at least `lowestDegree`; what neighbours say is no part of them.
 */
export function shareCalibration(temperature: number): Calibration {
  return {
    ...{ ...defaultCalibration, temperature, cap: mostShare, weight: 1, exponent: 0 },
    ...{ exclusivity: 0, neighbourWeight: 0 },
  };
}
