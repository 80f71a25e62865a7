import { expect, it } from 'vitest';
import { changedFacts, createKnowledgeGraph, createRandom, type KnowledgeGraph } from '../index.ts';
import { logicNames } from '../logic/index.ts';
import { plainProjection } from '../testing/plain-sets.ts';
import { someGraph } from '../testing/some-graph.ts';
import { type StandInLinks, standInLinks } from '../testing/stand-in-links.ts';
import { expectedTails } from './expected-tails.ts';
import { membersOf } from './members.ts';
import { projectSet } from './project-set.ts';
import { defaultProjection, highestPredicted, type ProjectionSettings } from './projection-settings.ts';
import { createSetLogic } from './set-logic.ts';

const entityCount = 40;
const random = createRandom('projections of sets');
const facts = someGraph(random, entityCount, 2, 200);
const ofChanges = createRandom('changed facts');
/** The same with other facts, each third of which is less than certain, and each fifth of which is rejected. */
const changed = changedFacts(facts, {
  removed: facts.forwardTriples().subarray(0, 150),
  added: someGraph(ofChanges, entityCount, 2, 90).forwardTriples(),
}).graph;
const each = (nth: number): Int32Array =>
  changed.forwardTriples().filter((_, i) => Math.floor(i / 3) % nth === 0);
const thirds = each(3);
const unsure = changedFacts(changed, {
  added: thirds,
  confidences: Array.from({ length: thirds.length / 3 }, ofChanges.uniform),
  rejected: each(5),
}).graph;

/** The rows of a call of `rows`, each by itself. */
const rowsOf = (rows: Float32Array): Float32Array[] =>
  Array.from({ length: rows.length / entityCount }, (_, m) =>
    rows.subarray(m * entityCount, (m + 1) * entityCount),
  );

async function project(
  logic: (typeof logicNames)[number],
  settings: ProjectionSettings,
  links: StandInLinks,
  set: Float32Array,
  graph: KnowledgeGraph = facts,
): Promise<Float32Array> {
  const members = membersOf(set, expectedTails(graph, 0), settings);
  const rows = rowsOf(await links.rows(members.ids, new Int32Array(members.ids.length)));
  return projectSet(createSetLogic(logic), settings, graph, { set, members, rows, relation: 0 });
}

/** Degrees of which some are 0, certain, nearly certain or equal. */
const someSet = (): Float32Array =>
  Float32Array.from({ length: entityCount }, () =>
    random.below(2) === 0 ? random.uniform() : [0, 1, 0.999, 0.95, 0.5][random.below(5)]!,
  );

it.each(
  logicNames.flatMap((logic) => [
    { logic, graph: facts, of: 'a graph' },
    { logic, graph: unsure, of: 'a changed graph with confidences and rejected links' },
  ]),
)('projections of sets of $of are those of plain loops in $logic logic', async ({ logic, graph }) => {
  const links = standInLinks(graph, random);
  for (let round = 0; round < 30; round += 1) {
    const set = someSet();
    const settings = {
      support: random.uniform(),
      certainMembers: 1 + random.below(8),
      predictedMembers: random.below(8),
    };
    const found = await project(logic, settings, links, set, graph);
    // 0.95 in single precision is below 0.95, for both.
    const expected = plainProjection({ logic, settings, facts: graph, links }, [...set], 0);
    const apart = expected.map((degree, id) => Math.abs(degree - found[id]!));
    expect(Math.max(...apart)).toBeLessThan(2e-6);
  }
});

it.each(logicNames)(
  'projections after changes of facts are those of a graph made anew, in %s logic',
  (logic) => {
    const [added, removed] = [60, 40].map((count) =>
      someGraph(random, entityCount, 2, count).forwardTriples(),
    );
    const changed = changedFacts(facts, { added: added!, removed: removed! }).graph;
    const anew = createKnowledgeGraph({ entityCount, relationCount: 2, triples: changed.forwardTriples() });
    expect(anew.edgeCount).not.toBe(facts.edgeCount);
    for (let round = 0; round < 10; round += 1) {
      const set = someSet();
      const members = { ids: Int32Array.of(3), degrees: Float32Array.of(set[3]!) };
      for (const relation of [0, 1]) {
        const of = (graph: typeof facts): Float32Array =>
          projectSet(createSetLogic(logic), defaultProjection, graph, {
            ...{ set, members, relation },
            rows: [new Float32Array(entityCount)],
          });
        expect(of(changed)).toEqual(of(anew));
      }
    }
  },
);

it.each(logicNames)('no projection is 1 in %s logic unless recorded facts alone give it', async (logic) => {
  const surely = standInLinks(facts, random, () => 0.9989);
  for (let round = 0; round < 20; round += 1) {
    const set = someSet();
    const found = await project(logic, { ...defaultProjection, support: 1 }, surely, set);
    found.forEach((degree, e) => {
      const recorded = Math.max(0, ...set.filter((_, h) => facts.has(h, 0, e)));
      if (recorded === 1) expect(degree).toBe(1);
      // a + b − 1 is rounded as graphs round it: of 0.999 and 1 it is one digit above 0.999.
      const rounding = logic === 'lukasiewicz' ? 2 ** -23 : 0;
      expect(degree).toBeLessThanOrEqual(Math.max(highestPredicted, recorded) + rounding);
    });
  }
});

it('a certain member that is left out still counts with what is recorded of it', async () => {
  // Of two certain members one is taken along; both lead to 3, and both are recorded to.
  const two = createKnowledgeGraph({
    entityCount: 5,
    relationCount: 2,
    triples: Int32Array.of(0, 0, 3, 0, 0, 4, 1, 0, 3),
  });
  const links = standInLinks(two, random, () => 0);
  const set = Float32Array.of(0.97, 0.96, 0, 0, 0);
  const settings = { support: 0.5, certainMembers: 1, predictedMembers: 0 };
  const members = membersOf(set, expectedTails(two, 0), settings);
  expect([...members.ids]).toEqual([0]);
  const rows = [await links.rows(members.ids, Int32Array.of(0))];
  const given = { set, members, rows, relation: 0 };
  const found = projectSet(createSetLogic('product'), settings, two, given);
  expect(found[4]).toBe(Math.fround(0.97));
  const more = 1 - Math.exp(-0.5 * 0.96);
  expect(found[3]).toBeCloseTo(0.97 + 0.03 * more, 6);
});
