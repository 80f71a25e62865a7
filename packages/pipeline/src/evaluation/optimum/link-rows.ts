import { asEntityId, asRelationId, type KnowledgeGraph } from '@fuzzqe/core';
import type { LinkScores } from '@fuzzqe/evidence';

/** The degrees of links of a model, in rows. */
export interface LinkRows {
  readonly entityCount: number;
  /** The degree of every entity as tail. Shapes: heads [n] → n of [|E|] in [0, 1], not to be written to. */
  rows(heads: Int32Array, relation: number): Promise<readonly Float32Array[]>;
}

/** Turns the scores of a link, which it overwrites, into degrees. Shapes: [|E|]. */
export type LinkRating = (scores: Float32Array, head: number, relation: number) => void;

/** Rows of so many numbers are kept, 256 MB. */
const keptNumbers = 2 ** 26;

/** Rows of degrees from the scores of a model. The rows that were asked for last are kept. */
export function createLinkRows(entityCount: number, scores: LinkScores, rate: LinkRating): LinkRows {
  const kept = new Map<string, Float32Array>();
  const most = Math.max(1, Math.floor(keptNumbers / entityCount));
  return {
    entityCount,
    async rows(heads, relation) {
      const keyOf = (head: number): string => `${relation} ${head}`;
      const missing = heads.filter((head) => !kept.has(keyOf(head)));
      const found = new Map<number, Float32Array>();
      if (missing.length > 0) {
        const all = await scores(missing, new Int32Array(missing.length).fill(relation));
        missing.forEach((head, i) => {
          const row = all.slice(i * entityCount, (i + 1) * entityCount);
          rate(row, head, relation);
          found.set(head, row);
        });
      }
      const rows = Array.from(heads, (head) => found.get(head) ?? kept.get(keyOf(head))!);
      for (const [head, row] of found) kept.set(keyOf(head), row);
      for (const key of kept.keys()) {
        if (kept.size <= most) break;
        kept.delete(key);
      }
      return rows;
    },
  };
}

/**
 * Each score on its own: `σ(τ s)`.
 *
 * Source: Arakelyan et al., ICLR 2021, section 3: degrees of atoms are scores of a link predictor, brought into [0, 1].
 */
export function sigmoidRating(temperature: number): LinkRating {
  return (scores) => {
    for (let t = 0; t < scores.length; t += 1) scores[t] = 1 / (1 + Math.exp(-temperature * scores[t]!));
  };
}

/** The highest degree of a link that is not recorded is `1 − δ`. */
const delta = 1e-4;
/** ε: degrees below count as 0. */
const least = 2e-4;

/**
 * Shares of a link's probability, times the number of its tails: `min(1 − δ, max(1, n_hr) · softmax(τ s))`. Recorded facts have 1.
 *
 * n_hr is the number of recorded tails, so that a link of many tails has many likely ones. Degrees below ε are 0.
 * Source: Bai et al., ICML 2023, section 3: the neural adjacency matrix and its calibration.
 */
export function calibratedRating(temperature: number, facts: KnowledgeGraph): LinkRating {
  return (scores, head, relation) => {
    let highest = Number.NEGATIVE_INFINITY;
    for (const score of scores) if (score > highest) highest = score;
    let total = 0;
    for (let t = 0; t < scores.length; t += 1) {
      const weight = Math.exp(temperature * (scores[t]! - highest));
      total += weight;
      scores[t] = weight;
    }
    const tails = facts.tails(asEntityId(head), asRelationId(relation));
    const factor = Math.max(1, tails.length) / total;
    for (let t = 0; t < scores.length; t += 1) {
      const degree = Math.min(1 - delta, factor * scores[t]!);
      scores[t] = degree < least ? 0 : degree;
    }
    for (const tail of tails) scores[tail] = 1;
  };
}
