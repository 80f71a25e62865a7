import type { Vocabulary } from '@fuzzqe/core';
import type { FactOfIds, KnownProvenance } from '@fuzzqe/facts/apply';
import type { LiveFacts } from '../facts/live-facts.ts';

/** What was said of judged links, and what people found. */
export interface Judged {
  readonly accepted: number;
  readonly rejected: number;
  /** The mean of the degrees that the links had, in [0, 1]. */
  readonly said: number;
  /** The share of accepted links, in [0, 1]. */
  readonly found: number;
  /** The standard deviation that `found` has by chance where the degrees are right: √Σ p (1 − p) / n. */
  readonly spread: number;
}

/** The judgements of one week. */
export interface JudgedWeek extends Judged {
  /** Its Monday, as 2026-11-23, in UTC. */
  readonly begins: string;
}

/** The judgements of one relation. */
export interface JudgedRelation extends Judged {
  readonly key: string;
  readonly label: string;
}

/** How far degrees are from what people found. */
export interface DriftReport extends Judged {
  /** Of weeks with a judgement, the newest first. */
  readonly weeks: readonly JudgedWeek[];
  /** The relations with the most judgements, at most 50. */
  readonly relations: readonly JudgedRelation[];
}

/** A judgement: how likely the link was said to be, and what became of it. */
interface Judgement {
  readonly said: number;
  readonly isAccepted: boolean;
}

const day = 86_400_000;
/** Relations that a report has. */
const mostRelations = 50;

/**
 * Said and found over the links that were judged, by week and by relation.
 *
 * The last judgement of each link counts, with the degree that was noted first.
 */
export function driftReport(
  judged: Iterable<readonly [fact: FactOfIds, provenance: KnownProvenance]>,
  vocabulary: Pick<Vocabulary, 'relation'>,
): DriftReport {
  const all: Judgement[] = [];
  const weeks = new Map<number, Judgement[]>();
  const relations = new Map<number, Judgement[]>();
  for (const [[, relation], provenance] of judged) {
    const judgement = judgementOf(provenance);
    const time = timeOf(provenance);
    all.push(judgement);
    put(relations, relation, judgement);
    if (time !== undefined) put(weeks, mondayOf(time), judgement);
  }
  const byCount = [...relations].sort((a, b) => b[1].length - a[1].length || a[0] - b[0]);
  return {
    ...summaryOf(all),
    weeks: [...weeks]
      .sort(([a], [b]) => b - a)
      .map(([monday, those]) => ({
        begins: new Date(monday).toISOString().slice(0, 10),
        ...summaryOf(those),
      })),
    relations: byCount.slice(0, mostRelations).map(([relation, those]) => {
      const { key, label } = vocabulary.relation(relation);
      return { key, label, ...summaryOf(those) };
    }),
  };
}

/** Days that metrics look back. */
const recentDays = 28;

/** Said and found over the links that were judged in the last 28 days; nothing while the facts are being read. */
export function recentlyJudged(facts: Pick<LiveFacts, 'newest' | 'isThere'>, now: number): Judged {
  const recent: Judgement[] = [];
  const judged = facts.isThere ? facts.newest().provenance.judged() : [];
  for (const [, provenance] of judged)
    if ((timeOf(provenance) ?? Number.NEGATIVE_INFINITY) > now - recentDays * day)
      recent.push(judgementOf(provenance));
  return summaryOf(recent);
}

/** The time of a judgement: its date, or when it was written; undefined if neither is a time. */
function timeOf({ date = '', at = '' }: KnownProvenance): number | undefined {
  return [date, at].map((text) => Date.parse(text)).find((time) => !Number.isNaN(time));
}

function judgementOf({ said = 0, rejected }: KnownProvenance): Judgement {
  return { said, isAccepted: rejected !== true };
}

function put(groups: Map<number, Judgement[]>, name: number, judgement: Judgement): void {
  const group = groups.get(name);
  if (group === undefined) groups.set(name, [judgement]);
  else group.push(judgement);
}

/** The beginning of a week in UTC. */
function mondayOf(time: number): number {
  const days = Math.floor(time / day);
  // 1 January 1970 was a Thursday.
  return (days - ((((days + 3) % 7) + 7) % 7)) * day;
}

function summaryOf(judgements: readonly Judgement[]): Judged {
  const count = judgements.length;
  let [accepted, said, variance] = [0, 0, 0];
  for (const each of judgements) {
    if (each.isAccepted) accepted += 1;
    said += each.said;
    variance += each.said * (1 - each.said);
  }
  const of = Math.max(1, count);
  return {
    accepted,
    rejected: count - accepted,
    said: said / of,
    found: accepted / of,
    spread: Math.sqrt(variance) / of,
  };
}
