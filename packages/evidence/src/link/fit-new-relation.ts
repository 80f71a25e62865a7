import { changedFacts, createRandom, type KnowledgeGraph, reindexedGraph } from '@fuzzqe/core';
import { mineNewRelation } from '../mining/mine-new-relation.ts';
import { createRuleIndex } from '../rules/rule-index.ts';
import { defaultWeights } from './default-weights.ts';
import { drawLinks } from './draw-links.ts';
import { featureAt, featureCount } from './features.ts';
import { outcomesAt } from './fit-evidence.ts';
import { dot, type Outcomes, sigmoid } from './fit-weights.ts';
import { type LinkWeights, weightsOf } from './link-weights.ts';
import { sampleCandidates } from './sample-outcomes.ts';

/** The share of a relation's facts that are hidden for its fit: degrees presume that the graph lacks as much. */
const hiddenShare = 1 / 3;
/** So many facts are hidden at least, or nothing is fitted. */
const fewestHidden = 3;
/** Links that are looked at with a hidden fact, and without. */
const fittedLinks = { withFact: 32, without: 32 } as const;

/**
 * The weights of a relation 2k and of its inverse that came after the training: the usual weights without a model, on a line.
 *
 * `w x → a (w x) + b`: tails keep the order that the usual weights give. A third of the facts is hidden, and rules are mined from the others.
 * The fit makes the hidden facts among the candidates likeliest, in each direction, with a drawn to 1 and b to −4. With fewer than 9 facts,
 * a = 1 and b = −4: few facts give no high degree.
 *
 * Ranges: a ≥ 0.1. The index of `facts` has all facts (`reindexedGraph`). The same facts give the same weights.
 */
export async function fitNewRelation(
  facts: KnowledgeGraph,
  relation: number,
  typeRelations: readonly number[],
): Promise<LinkWeights> {
  const weights = defaultWeights(facts.relationCount, { typeRelations });
  const hidden = hiddenOf(facts, relation);
  const outcomes =
    hidden.length < 3 * fewestHidden
      ? undefined
      : await outcomesOf(facts, relation, { hidden, typeRelations });
  for (const along of [relation, relation + 1]) {
    const own = weightsOf(weights, along);
    const { slope, shift } = outcomes === undefined ? usualLine : fitLine(outcomes, along, own);
    for (let at = 0; at < featureCount; at += 1) own[at]! *= slope;
    own[featureAt.constant]! += shift;
  }
  return weights;
}

/** Some facts of a relation: flat h, r, t. */
function hiddenOf(facts: KnowledgeGraph, relation: number): Int32Array {
  const random = createRandom('new relation', 'hidden', relation);
  const all: (readonly [number, number, number])[] = [];
  for (const head of facts.headsOf(relation))
    for (const tail of facts.tails(head, relation)) all.push([head, relation, tail]);
  const count = Math.floor(hiddenShare * all.length);
  for (let i = 0; i < count; i += 1) {
    const other = i + random.below(all.length - i);
    [all[i], all[other]] = [all[other]!, all[i]!];
  }
  return Int32Array.from(all.slice(0, count).flat());
}

/** The candidates of links of a relation and its inverse where some facts are hidden. */
async function outcomesOf(
  facts: KnowledgeGraph,
  relation: number,
  { hidden, typeRelations }: { readonly hidden: Int32Array; readonly typeRelations: readonly number[] },
): Promise<Outcomes> {
  const visible = reindexedGraph(changedFacts(facts, { removed: hidden }).graph);
  const links = drawLinks({
    ...{ facts: visible, hidden, typeRelations },
    relations: [relation, relation + 1],
    ...fittedLinks,
    random: createRandom('new relation', 'links', relation),
  });
  const sample = await sampleCandidates({
    ...{ facts: visible, links, typeRelations, scores: undefined, temperatures: [] },
    rules: createRuleIndex(mineNewRelation(visible, relation)),
  });
  return outcomesAt(sample, -1, 1);
}

/** A line on which logits are put. */
interface Line {
  readonly slope: number;
  readonly shift: number;
}

/** What relations of several graphs have in common, and how far they differ from it. */
const usualLine: Line = { slope: 1, shift: -4 };
const deviation: Line = { slope: 1, shift: 2 };
const leastSlope = 0.1;
const mostSteps = 30;

/** The line of the highest likelihood, with that of the line among relations: Newton's method. */
function fitLine(outcomes: Outcomes, relation: number, own: Float64Array): Line {
  const candidates = candidatesOf(outcomes, relation, own);
  const [ofSlope, ofShift] = [1 / deviation.slope ** 2, 1 / deviation.shift ** 2];
  let { slope, shift } = usualLine;
  for (let step = 0; step < mostSteps; step += 1) {
    let [bySlope, byShift] = [ofSlope * (usualLine.slope - slope), ofShift * (usualLine.shift - shift)];
    let [slopes, both, shifts] = [ofSlope, 0, ofShift];
    for (const { logit, found, weight } of candidates) {
      const said = sigmoid(slope * logit + shift);
      const rest = weight * (found - said);
      const curve = weight * said * (1 - said);
      bySlope += rest * logit;
      byShift += rest;
      slopes += curve * logit * logit;
      both += curve * logit;
      shifts += curve;
    }
    const determinant = slopes * shifts - both * both;
    // Far from the line a whole step may go too far.
    const bounded = (value: number): number => Math.max(-1, Math.min(1, value));
    const steeper = bounded((shifts * bySlope - both * byShift) / determinant);
    const higher = bounded((slopes * byShift - both * bySlope) / determinant);
    slope = Math.max(leastSlope, slope + steeper);
    shift += higher;
    if (Math.abs(steeper) + Math.abs(higher) < 1e-9) break;
  }
  return { slope, shift };
}

/** The candidates of links along one relation, with the logits of the usual weights. */
function candidatesOf(
  { features, relations, found, weights }: Outcomes,
  relation: number,
  own: Float64Array,
): { readonly logit: number; readonly found: number; readonly weight: number }[] {
  const places = [...relations.keys()].filter((at) => relations[at] === relation);
  return places.map((at) => ({
    logit: dot(features, at, own),
    found: found[at]!,
    weight: weights[at]!,
  }));
}
