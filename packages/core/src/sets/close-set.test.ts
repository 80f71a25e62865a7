import { describe, expect, it } from 'vitest';
import { asEntityId, asRelationId, changedFacts, createKnowledgeGraph, createRandom } from '../index.ts';
import { logicNames } from '../logic/index.ts';
import {
  type Condition,
  entity,
  type Pattern,
  planPattern,
  project,
  type Query,
  type ReachQuery,
  type Repeat,
} from '../query/index.ts';
import { plainAnswer } from '../testing/plain-sets.ts';
import { someGraph } from '../testing/some-graph.ts';
import { standInLinks } from '../testing/stand-in-links.ts';
import { answerPattern } from './answer-pattern.ts';
import { openSets, type SetsState } from './answer-sets.ts';
import { closeSet } from './close-set.ts';
import { defaultProjection } from './projection-settings.ts';
import { recordedState } from './recorded-state.ts';
import { createSetLogic } from './set-logic.ts';

const [entityCount, relationCount] = [23, 4];
const random = createRandom('closed sets');
const facts = someGraph(random, entityCount, relationCount, 60);
const repeats: readonly Repeat[] = ['?', '*', '+'];
const relation = () => asRelationId(random.below(relationCount));
const someStart = (): Query =>
  random.below(2) === 0
    ? entity(asEntityId(random.below(entityCount)))
    : project(relation(), entity(asEntityId(random.below(entityCount))));

describe.each(logicNames)('what a relation leads to in several steps, in %s logic', (logic) => {
  const links = standInLinks(facts, random);
  // All members: rounding would else choose among members of equal degrees.
  const projection = { ...defaultProjection, certainMembers: entityCount, predictedMembers: entityCount };
  const state: SetsState = { links, logic: createSetLogic(logic), projection, facts };

  it('is that of plain loops, of chains as well', async () => {
    let moved = 0;
    for (let i = 0; i < 60; i += 1) {
      const [first, last] = [repeats[i % 3]!, repeats[(i + 1) % 3]!];
      const inner: ReachQuery = { op: 'reach', relation: relation(), repeat: first, from: someStart() };
      const query: ReachQuery = { op: 'reach', relation: relation(), repeat: last, from: inner };
      for (const each of [inner, query]) {
        const found = await (await openSets(state, [each])).degrees(each);
        const expected = plainAnswer({ logic, settings: projection, facts, links }, each);
        const apart = expected.map((degree, id) => Math.abs(degree - found[id]!));
        expect(Math.max(...apart)).toBeLessThan(3e-6);
        // One step alone is another set.
        const once = plainAnswer(
          { logic, settings: projection, facts, links },
          { op: 'project', relation: each.relation, from: each.from as Query },
        );
        if (once.some((degree, id) => Math.abs(degree - expected[id]!) > 1e-3)) moved += 1;
      }
    }
    expect(moved).toBeGreaterThan(60);
  });
});

describe('a repeated relation of a pattern', () => {
  const logic = createSetLogic('product');
  const recorded = recordedState(facts, { logic });
  const x = { variable: 0 };
  const patternOf = (repeat: Repeat, start: number): Pattern => ({
    variables: ['x'],
    answers: [0],
    where: { op: 'link', relation: asRelationId(0), from: { entity: asEntityId(start) }, to: x, repeat },
  });
  /** The entities that recorded facts lead to, breadth first. */
  const reachable = (start: number, repeat: Repeat): number[] => {
    const steps = new Map<number, number>();
    let open = [start];
    for (let step = 1; open.length > 0 && step <= (repeat === '?' ? 1 : entityCount); step += 1) {
      open = open.flatMap((head) => [...facts.tails(head, 0)]).filter((tail) => !steps.has(tail));
      for (const tail of open) steps.set(tail, step);
    }
    const found = new Set(steps.keys());
    if (repeat !== '+') found.add(start);
    return [...found].sort((a, b) => a - b);
  };

  it('has by recorded facts the answers of a walk', async () => {
    let more = 0;
    for (const repeat of repeats)
      for (let start = 0; start < entityCount; start += 1) {
        const limits = { k: entityCount, links: 100, width: entityCount, predicted: 0 };
        const { tuples } = await answerPattern(recorded, planPattern(patternOf(repeat, start)), limits);
        expect([...tuples].sort((a, b) => a - b)).toEqual(reachable(start, repeat));
        if (tuples.length > facts.tails(start, 0).length + 1) more += 1;
      }
    expect(more).toBeGreaterThan(5);
  });

  it('is read from either end, and through variables that lead to an entity', async () => {
    const [answer, between] = [x, { variable: 1 }];
    const link = (from: Condition & { op: 'link' }): Condition => from;
    const where: Condition = {
      op: 'and',
      operands: [
        link({ op: 'link', relation: asRelationId(0), from: answer, to: between, repeat: '+' }),
        link({ op: 'link', relation: asRelationId(2), from: between, to: { entity: asEntityId(3) } }),
      ],
    };
    const { steps } = planPattern({ variables: ['x', 'y'], answers: [0], where });
    expect(steps).toEqual([
      {
        variable: 0,
        set: {
          op: 'reach',
          relation: 1,
          repeat: '+',
          from: { op: 'project', relation: 3, from: { op: 'entity', entity: 3 } },
        },
        conditions: [],
      },
    ]);
    expect(() => planPattern({ variables: ['x', 'y'], answers: [0, 1], where })).toThrow(
      'pattern: expected "+" on a relation with one end that leads to an entity, got ?x and ?y',
    );
  });
});

it('a fact on the way that is less than certain lowers what it leads to, unless another way is better', () => {
  const graph = createKnowledgeGraph({
    entityCount: 5,
    relationCount: 2,
    triples: Int32Array.of(0, 0, 1, 1, 0, 2, 2, 0, 0, 3, 0, 2),
  });
  const unsure = changedFacts(graph, { added: Int32Array.of(1, 0, 4), confidences: [0.5] }).graph;
  const logic = createSetLogic('product');
  expect([...closeSet(logic, unsure, Float32Array.of(0.5, 0, 0, 0, 0), 0)]).toEqual([0.5, 0.5, 0.5, 0, 0.25]);
  // A higher start afterwards raises what a lower one reached.
  const closed = closeSet(logic, unsure, Float32Array.of(0.25, 0, 0, 1, 0), 0);
  expect([...closed]).toEqual([1, 1, 1, 1, 0.5]);
});
