import { bundlePaths, type OperatorName, type Profile } from '@fuzzqe/bundle';
import { nodesOf, type Query } from '@fuzzqe/core/query';
import type { ParityCase } from '../cases/parity-case.ts';
import { type AskedBy, modeOf, planOf } from './ways.ts';

/** A case in one way of asking, and whether it failed. */
export interface Verdict {
  readonly entry: ParityCase;
  readonly by: AskedBy;
  readonly failed: boolean;
  /** Whether there was an answer. */
  readonly answered: boolean;
}

/** Names of what a diagnosis may point to. */
export interface DiagnosisNames {
  readonly profile: Profile;
  relation(id: number): string;
}

/** A suspect explains this share of its own cases, or it is none. */
const precision = 0.8;

/**
 * Says what the failures of one runtime and profile have in common.
 *
 * Golden answers were made when the bundle was exported, all others from its weights as they are now: which of them
 * fail tells weights from graphs. Then graphs and relations are named whose cases fail while others pass.
 */
export function diagnose(verdicts: readonly Verdict[], names: DiagnosisNames): string[] {
  const golden = verdicts.filter(({ entry }) => entry.kind === 'golden');
  const drawn = verdicts.filter(({ entry }) => entry.kind !== 'golden');
  const fails = (group: readonly Verdict[]): boolean => group.some(({ failed }) => failed);
  if (!fails(verdicts)) return [];
  if (verdicts.every(({ answered }) => !answered)) return ['The runtime gives no answer at all.'];
  if (!fails(drawn)) {
    const { source, what } = sourceOf(golden, names.profile);
    const why =
      drawn.length === 0
        ? `The golden answers do not follow from ${source}.`
        : `Fresh queries agree with float64 on ${source}, golden cases do not: ${what} not those that the golden answers were made from.`;
    return [why, ...suspectsOf(golden, names)];
  }
  const why = fails(golden)
    ? 'Golden cases and fresh queries fail: a graph, or the runtime.'
    : 'Only fresh queries fail: numbers that the golden cases do not meet.';
  return [why, ...suspectsOf(verdicts, names)];
}

/** What the failing answers follow from: weights change embeddings too, all else fuzzy sets alone. */
function sourceOf(
  verdicts: readonly Verdict[],
  { operators }: Profile,
): { readonly source: string; readonly what: string } {
  if (verdicts.some(({ failed, by }) => failed && modeOf(by) === 'embedding'))
    return { source: operators.anchor.weights.join(', '), what: 'the weights are' };
  const { facts, evidence, rules } = bundlePaths;
  return {
    source: `${facts}, ${evidence} and ${rules}`,
    what: 'facts, weights of evidence or rules are',
  };
}

function suspectsOf(verdicts: readonly Verdict[], names: DiagnosisNames): string[] {
  const failed = verdicts.filter((verdict) => verdict.failed);
  const summary = `${failed.length} of ${verdicts.length} comparisons fail`;
  if (failed.length === verdicts.length) return [`${summary}: what all share, such as the weights file.`];
  const uses = new Map(verdicts.map((verdict) => [verdict, featuresOf(verdict, names)]));
  const counts = new Map<string, { failed: number; all: number }>();
  for (const verdict of verdicts)
    for (const feature of uses.get(verdict)!) {
      const count = counts.get(feature) ?? { failed: 0, all: 0 };
      count.all += 1;
      if (verdict.failed) count.failed += 1;
      counts.set(feature, count);
    }
  const likely = [...counts].filter(([, count]) => count.failed / count.all >= precision);
  // The fewest suspects that explain every failure: each time the one that explains most of what is left.
  const found: string[] = [];
  let left = failed;
  while (left.length > 0 && found.length < 3) {
    const explained = (feature: string): number => left.filter((each) => uses.get(each)!.has(feature)).length;
    const best = likely
      .map(([feature, count]) => ({ feature, count, explains: explained(feature) }))
      .sort((a, b) => b.explains - a.explains || a.count.all - b.count.all)[0];
    if (best === undefined || best.explains === 0) break;
    found.push(`${best.feature}: ${best.count.failed} of ${best.count.all} comparisons with it fail`);
    left = left.filter((each) => !uses.get(each)!.has(best.feature));
  }
  const rest = left.length === 0 ? '' : `; ${left.length} of them have nothing in common`;
  return [`${summary}${rest}.`, ...found];
}

/** What a comparison depends on, by name. */
function featuresOf({ entry, by }: Verdict, { profile, relation }: DiagnosisNames): ReadonlySet<string> {
  const features = new Set(entry.relations.map((id) => `relation ${id}, ${relation(id)}`));
  const { structure } = entry;
  if (by === 'pattern') return features.add(profile.links.path);
  const query = entry.query as Query; // patterns are asked in one way
  const nodes = nodesOf(query);
  if (by === 'sets' || by === 'best') {
    if (nodes.some(({ op }) => op === 'project')) features.add(profile.links.path);
    return features;
  }
  features.add(profile.rank.path);
  if (by === 'exclusion') features.add(`${profile.rank.path} without what is known`);
  const plan = planOf(by, profile);
  if (plan === 'operators' || structure === null) {
    for (const { op } of nodes) features.add(profile.operators[operatorOf[op]].path);
    const { centroid } = profile.operators;
    if (centroid !== undefined && nodes.some((node) => node.op === 'project' && node.from.op !== 'entity'))
      features.add(centroid.path);
  } else if (plan === 'structure') {
    features.add(profile.structures![structure].path); // there is no such plan without them
  } else {
    const { path } = profile[plan]!; // there is no such plan without it
    features.add(path);
    features.add(`${path} for ${structure}`);
  }
  return features;
}

/** What the nodes of a tree are composed by. */
const operatorOf: Readonly<Record<Query['op'], OperatorName>> = {
  entity: 'anchor',
  project: 'project',
  not: 'negation',
  and: 'conjunction',
  or: 'disjunction',
};
