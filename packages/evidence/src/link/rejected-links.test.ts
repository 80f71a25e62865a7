import { createRandom } from '@fuzzqe/core';
import { describe, expect, it } from 'vitest';
import { createRuleIndex } from '../rules/rule-index.ts';
import { graphOf } from '../testing/graph-of.ts';
import { drawLinks } from './draw-links.ts';
import { fitEvidence } from './fit-evidence.ts';
import { createLinkDegrees } from './link-degrees.ts';
import { sampleCandidates } from './sample-outcomes.ts';

type Fact = readonly [head: number, relation: number, tail: number];

/** The 80 links that the rule of a relation predicts: the first 30 are recorded, and the next 15 hidden. */
const predicted = (relation: number): Fact[] =>
  Array.from({ length: 80 }, (_, i) => [
    2 * i + 160 * (relation / 4),
    relation,
    2 * i + 1 + 160 * (relation / 4),
  ]);
const [one, other] = [predicted(0), predicted(4)];
const both = [...one, ...other];
const at = (start: number, end: number) => (links: readonly Fact[]) => links.slice(start, end);
const [recorded, hidden, judged, open] = [at(0, 30), at(30, 45), at(45, 60), at(60, 80)];
const facts = graphOf([
  ...both.map(([head, relation, tail]): Fact => [head, relation + 2, tail]),
  ...[one, other].flatMap(recorded),
]);
const rules = createRuleIndex({
  relationCount: facts.relationCount,
  rules: [0, 4].map((relation) => ({
    ...({ kind: 'path', relation, path: [relation + 2] } as const),
    ...{ hits: 30, predictions: 80 },
  })),
});
const flat = (links: readonly Fact[]): Int32Array => Int32Array.from(links.flat());
const drawn = (rejected?: readonly Fact[]) =>
  drawLinks({
    ...{ facts, random: createRandom('rejected'), withFact: 1200, without: 1500 },
    hidden: flat([one, other].flatMap(hidden)),
    ...(rejected === undefined ? {} : { rejected: flat(rejected) }),
  });
const fitted = async (rejected?: readonly Fact[]) => {
  const sample = await sampleCandidates({
    ...{ facts, rules, scores: undefined, links: drawn(rejected), temperatures: [] },
  });
  const options = { relationCount: facts.relationCount, typeRelations: [], knownShare: 0.5, hasModel: false };
  return { sample, fit: fitEvidence(sample, options)! };
};
/** The degree of each link by the weights of a fit. */
const degreesAfter = async (rejected: readonly Fact[], links: readonly Fact[]): Promise<number[]> => {
  const { weights } = (await fitted(rejected)).fit;
  const rows = await createLinkDegrees({ facts, rules, weights, scores: undefined }).rows(
    Int32Array.from(links, ([head]) => head),
    Int32Array.from(links, ([, relation]) => relation),
  );
  return links.map(([, , tail], i) => rows[i * facts.entityCount + tail]!);
};
const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value) / values.length;

describe('rejected links', () => {
  it('lower the degrees of other links that the same rule predicts, and of no other relation', async () => {
    const change = async (rejected: readonly Fact[], links: readonly Fact[]): Promise<number> =>
      mean(await degreesAfter(rejected, links)) - mean(await degreesAfter([], links));
    // 15 of 50 open links are hidden, and half of the hidden ones are known.
    expect(mean(await degreesAfter([], open(one)))).toBeCloseTo(0.6, 2);
    expect(await change(judged(one), open(one))).toBeLessThan(-0.2);
    expect(Math.abs(await change(judged(one), open(other)))).toBeLessThan(0.01);
    // Links of the same heads that no rule predicts.
    const unlikely = judged(one).map(([head, relation], i): Fact => [head, relation, one[i]![2]]);
    expect(Math.abs(await change(unlikely, open(one)))).toBeLessThan(0.01);
  });

  it('join the sample in both directions, as certain candidates of their own that are not found', async () => {
    const before = await fitted();
    const after = await fitted(judged(one));
    const rest = after.sample.links.slice(before.sample.links.length);
    expect(after.sample.links.slice(0, before.sample.links.length)).toEqual(before.sample.links);
    const joined = judged(one).flatMap(([head, relation, tail]) => [
      `${head} ${relation} ${tail} weight 1`,
      `${tail} ${relation + 1} ${head} weight 1`,
    ]);
    const found = rest.map((link) => `${link.head} ${link.relation} ${link.rejected} weight ${link.weight}`);
    expect(found.sort()).toEqual(joined.sort());
    const count = before.sample.found.length;
    expect([...after.sample.entities.subarray(count)]).toEqual(rest.map(({ rejected }) => rejected![0]));
    expect(after.sample.found.subarray(count)).toEqual(new Uint8Array(rest.length));
  });

  it('change nothing where there are none, or where the link is recorded', async () => {
    const { fit } = await fitted();
    expect((await fitted([])).fit).toEqual(fit);
    expect((await fitted(recorded(one))).fit).toEqual(fit);
    expect((await fitted(judged(one))).fit).not.toEqual(fit);
  });
});
