import { expectOptions, FuzzError, type KnowledgeGraph, type Random } from '@fuzzqe/core';
import type { RuleSet } from '../rules/rule-set.ts';
import { type MinedRelation, noRules, rulesOf } from './mine-relation.ts';
import { createMiningPool, type MiningPool } from './mining-pool.ts';

/** How far mining is. */
export interface MiningProgress {
  readonly round: number;
  /** Relations of this round, without inverses: done, and to do. */
  readonly done: number;
  readonly total: number;
  /** Rules found so far, those of relations that this round has not come to included. */
  readonly rules: number;
}

/** How to mine: for so many seconds, or so many rounds, or until either is over. */
export interface MineRulesOptions {
  readonly random: Random;
  /** About how long. A round that is not completed is given up; of the first round, the relations mined by then keep their rules. */
  readonly seconds?: number;
  /** How many rounds at most. The result depends on the graph, the seed and the completed rounds alone. */
  readonly rounds?: number;
  /** Threads next to this one; 0, the default, mines in this one. What is mined does not depend on it. */
  readonly workers?: number;
  /** The script that the threads run; that of this package by default. */
  readonly entry?: URL;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: MiningProgress) => void;
}

/** The rules that were mined, and how. */
export interface MinedRules extends RuleSet {
  /** How many rounds were completed; the same number of `rounds`, at least 1, gives the same rules. With 0, some relations were not mined. */
  readonly rounds: number;
  /** Whether further rounds would find nothing else. */
  readonly whole: boolean;
}

/** A bound for those who name seconds only: the sizes of round 40 are beyond every graph. */
const mostRounds = 40;

/**
 * Mines the rules of a graph: paths of 1 to 3 relations and constants, for every relation and its inverse.
 *
 * A round looks at bounded samples, drawn by the seed, of each relation: paths between the ends of some facts are the candidates; the
 * candidates are judged on some heads with the expansion that `applyRules` uses; constants are counted exactly. Each round has larger
 * samples than the round before and judges the rules found before with them. Each relation keeps the 500 constants of the highest
 * confidence and the 60 paths of the highest confidence × √hits, with at least 2 hits. A relation of which nothing is left out is not
 * mined again.
 *
 * @throws FuzzError `range`: neither or invalid seconds and rounds, a number of workers that is none. `interrupted`: the signal was
 *   raised. `runtime`: a thread failed.
 * @example
 * const mined = await mineRules(graph, { random: createRandom('rules', 1), seconds: 10 });
 */
export async function mineRules(facts: KnowledgeGraph, options: MineRulesOptions): Promise<MinedRules> {
  expectOptions('mineRules', options, ['random']);
  checkOptions(options);
  const { random, seconds = Infinity, rounds = mostRounds, workers = 0, entry, signal, onProgress } = options;
  const until = performance.now() + 1000 * seconds;
  const relations = facts.relationCount / 2;
  const heads = Array.from({ length: relations }, (_, i) => facts.headsOf(2 * i).length);
  const found: MinedRelation[] = heads.map((count) => ({ rules: [noRules, noRules], whole: count === 0 }));
  // Relations of the most heads first, if time ends in the first round.
  const order = [...heads.keys()].sort((a, b) => heads[b]! - heads[a]! || a - b);
  const pool = createMiningPool(facts, Math.min(workers, relations), entry);
  let completed = 0;
  try {
    for (let last = 0; completed < rounds; completed++) {
      const left = order.flatMap((i) => (found[i]!.whole ? [] : [2 * i]));
      // The next round takes longer than the last did for the relations that are left.
      const began = performance.now();
      if (left.length === 0 || (completed > 0 && began + last * left.length > until)) break;
      const mined = await mineRound({
        pool,
        left,
        found,
        random,
        round: completed,
        signal,
        until,
        onProgress,
      });
      const isCompleted = mined.length === left.length;
      if (!isCompleted && completed > 0) break;
      for (const { relation, mined: rules } of mined) found[relation / 2] = rules;
      if (!isCompleted) break;
      last = (performance.now() - began) / left.length;
    }
  } finally {
    await pool.close();
  }
  return {
    relationCount: facts.relationCount,
    rules: found.flatMap((each, i) => rulesOf(2 * i, each)),
    rounds: completed,
    whole: found.every(({ whole }) => whole),
  };
}

interface Round {
  readonly pool: MiningPool;
  readonly left: readonly number[];
  readonly found: readonly MinedRelation[];
  readonly random: Random;
  readonly round: number;
  readonly signal: AbortSignal | undefined;
  readonly until: number;
  readonly onProgress: ((progress: MiningProgress) => void) | undefined;
}

interface MinedIn {
  readonly relation: number;
  readonly mined: MinedRelation;
}

/** Mines the relations that are left until the time is over. */
async function mineRound({
  pool,
  left,
  found,
  random,
  round,
  signal,
  until,
  onProgress,
}: Round): Promise<readonly MinedIn[]> {
  const mined: MinedIn[] = [];
  let rules = found.reduce((sum, each) => sum + countRules(each), 0);
  let next = 0;
  let isLate = false;
  const work = async (): Promise<void> => {
    while (next < left.length && !isLate) {
      const relation = left[next++]!;
      const known = found[relation / 2]!;
      const stream = random.fork('rules', round, relation);
      const seed = Array.from({ length: 4 }, () => stream.uint32());
      const rulesNow = await pool.mine({ relation, round, seed, known: known.rules });
      if (signal?.aborted) throw interrupted(round, mined.length, left.length);
      rules += countRules(rulesNow) - countRules(known);
      mined.push({ relation, mined: rulesNow });
      onProgress?.({ round, done: mined.length, total: left.length, rules });
      isLate = performance.now() > until;
    }
  };
  if (signal?.aborted) throw interrupted(round, 0, left.length);
  await Promise.all(Array.from({ length: pool.atOnce }, work));
  return mined;
}

function interrupted(round: number, done: number, total: number): FuzzError {
  return new FuzzError(
    'interrupted',
    `mining rules: stopped in round ${round} at ${done} of ${total} relations`,
  );
}

function countRules({ rules }: MinedRelation): number {
  return rules.reduce((sum, { paths, constants }) => sum + (paths.length + constants.length) / 5, 0);
}

function checkOptions({ seconds, rounds, workers = 0 }: MineRulesOptions): void {
  const bad = (name: string, expected: string, value: unknown): FuzzError =>
    new FuzzError('range', `${name}: expected ${expected}, got ${value}`, { path: name });
  if (seconds === undefined && rounds === undefined)
    throw new FuzzError('range', 'mineRules: expected seconds or rounds, got neither', {
      hint: 'seconds bounds the time; rounds gives the same rules on every machine.',
    });
  if (seconds !== undefined && !(seconds > 0)) throw bad('seconds', 'a number > 0', seconds);
  if (rounds !== undefined && !(Number.isInteger(rounds) && rounds >= 1))
    throw bad('rounds', 'an integer >= 1', rounds);
  if (!(Number.isInteger(workers) && workers >= 0)) throw bad('workers', 'an integer >= 0', workers);
}
