import { describe, expect, it } from 'vitest';
import { createRandom } from '../index.ts';
import { logicNames } from '../logic/index.ts';
import { instantiate, type Query, structures } from '../query/index.ts';
import { someGraph } from '../testing/some-graph.ts';
import { standInLinks } from '../testing/stand-in-links.ts';
import { answerSets, type SetsState } from './answer-sets.ts';
import type { LinkDegrees } from './link-degrees.ts';
import type { LinkTails } from './link-tails.ts';
import { defaultProjection } from './projection-settings.ts';
import { createSetLogic } from './set-logic.ts';
import { tailSets } from './tail-sets.ts';

const [entityCount, relationCount] = [40, 4];
const random = createRandom('sets of likely tails');
const facts = someGraph(random, entityCount, relationCount, 120);
const links = standInLinks(facts, random);
const background = 0.01;
const wanted = { ofAnchors: 10, ofMembers: 10, also: Int32Array.of(3, 5) };

/** Whether a tail is likely whatever the head is. */
const isLikely = (relation: number, tail: number): boolean => (7 * tail + relation) % 3 === 0;

/** The degree of a link as `tails` has it. */
const degreeOf = (head: number, relation: number, tail: number): number =>
  isLikely(relation, tail) || wanted.also.includes(tail) || facts.has(head, relation, tail)
    ? links.degree(head, relation, tail)
    : background;

/** Lists likely tails, and the recorded tails of the heads. */
const tails: LinkTails = {
  async tails(heads, relation, { also }) {
    const listed = new Set(also);
    for (let tail = 0; tail < entityCount; tail += 1) if (isLikely(relation, tail)) listed.add(tail);
    for (const head of heads) for (const tail of facts.tails(head, relation)) listed.add(tail);
    const ids = Int32Array.from(listed);
    const degrees = Float32Array.from({ length: heads.length * ids.length }, (_, i) =>
      degreeOf(heads[Math.floor(i / ids.length)]!, relation, ids[i % ids.length]!),
    );
    return { ids, degrees, background: new Float32Array(heads.length).fill(background) };
  },
};

/** The same degrees in whole rows. */
const whole: LinkDegrees = {
  async rows(heads, relations) {
    return Float32Array.from({ length: heads.length * entityCount }, (_, i) => {
      const at = Math.floor(i / entityCount);
      return degreeOf(heads[at]!, relations[at]!, i % entityCount);
    });
  },
};

describe.each(logicNames)('sets of likely tails in %s logic', (logic) => {
  const projection = { ...defaultProjection, certainMembers: 3, predictedMembers: 4 };
  const state: SetsState = { links: whole, logic: createSetLogic(logic), projection, facts };
  const draw = (count: number, below: number): number[] =>
    Array.from({ length: count }, () => random.below(below));
  const queries: Query[] = Object.values(structures).flatMap(({ template, anchors, relations }) =>
    [1, 2, 3].map(() => instantiate(template, draw(anchors, entityCount), draw(relations, relationCount))),
  );
  const worst = async (other: SetsState): Promise<number> => {
    const [expected, found] = [await answerSets(state, queries), await answerSets(other, queries)];
    return Math.max(
      ...expected.flatMap(({ degrees }, i) =>
        Array.from(degrees, (degree, id) => Math.abs(degree - found[i]!.degrees[id]!)),
      ),
    );
  };

  it('are those of whole rows in which every other entity has the background', async () => {
    expect(await worst(tailSets(state, tails, wanted))).toBeLessThan(1e-6);
    // Rows with the true degrees of the other entities are not.
    expect(await worst({ ...state, links })).toBeGreaterThan(0.1);
  });
});
