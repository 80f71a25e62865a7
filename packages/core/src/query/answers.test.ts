import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { asEntityId, asRelationId } from '../kg/ids.ts';
import { createKnowledgeGraph } from '../kg/knowledge-graph.ts';
import { answerQuery, createAnswerer, easyAndHard } from './answers.ts';
import { and, entity, not, or, project, type Query } from './query.ts';
import { structures } from './structures.ts';
import { templateOf } from './template.ts';

const entityCount = 40;
const relationCount = 4;
const e = (id: number) => entity(asEntityId(id));
const p = (id: number, from: Query) => project(asRelationId(id), from);

const { query } = fc.letrec<{ query: Query }>((tie) => {
  const operands = fc.array(tie('query'), { minLength: 2, maxLength: 3 });
  return {
    query: fc.oneof(
      { maxDepth: 4, depthIdentifier: 'query' },
      fc.nat(entityCount - 1).map((id): Query => e(id)),
      fc.tuple(fc.nat(relationCount - 1), tie('query')).map(([r, from]): Query => p(r, from)),
      operands.map((all): Query => ({ op: 'and', operands: all })),
      operands.map((all): Query => ({ op: 'or', operands: all })),
      tie('query').map((operand): Query => not(operand)),
    ),
  };
});
const id = fc.nat(entityCount - 1);
const facts = fc.array(fc.tuple(id, fc.nat(relationCount - 1), id), { minLength: 1, maxLength: 80 });
type Facts = readonly (readonly [number, number, number])[];
const graphOf = (all: Facts) =>
  createKnowledgeGraph({ entityCount, relationCount, triples: Int32Array.from(all.flat()) });

/** Whether an entity answers a query, straight from the definition. */
function answers(all: Facts, node: Query, x: number): boolean {
  switch (node.op) {
    case 'entity':
      return node.entity === x;
    case 'project':
      return all.some(
        ([h, r, t]) =>
          (r === node.relation && t === x && answers(all, node.from, h)) ||
          ((r ^ 1) === node.relation && h === x && answers(all, node.from, t)),
      );
    case 'and':
      return node.operands.every((operand) => answers(all, operand, x));
    case 'or':
      return node.operands.some((operand) => answers(all, operand, x));
    case 'not':
      return !answers(all, node.operand, x);
  }
}

describe('answerQuery', () => {
  it('agrees with the definition of the operators', () => {
    fc.assert(
      fc.property(facts, query, (all, q) => {
        const expected = Array.from({ length: entityCount }, (_, x) => x).filter((x) => answers(all, q, x));
        expect([...answerQuery(graphOf(all), q)]).toEqual(expected);
      }),
      { numRuns: 100 },
    );
  });

  const graph = graphOf([
    [0, 0, 1],
    [0, 0, 2],
    [3, 2, 1],
  ]);

  it('answers the operators by hand', () => {
    expect([...answerQuery(graph, p(0, e(0)))]).toEqual([1, 2]);
    expect([...answerQuery(graph, p(1, e(1)))]).toEqual([0]);
    expect([...answerQuery(graph, and(p(0, e(0)), not(p(2, e(3)))))]).toEqual([2]);
    expect([...answerQuery(graph, and(not(p(2, e(3))), p(0, e(0))))]).toEqual([2]);
    expect([...answerQuery(graph, or(p(0, e(0)), e(9)))]).toEqual([1, 2, 9]);
    expect(answerQuery(graph, not(e(0))).size).toBe(entityCount - 1);
    expect(answerQuery(graph, and(not(e(0)), not(e(1)))).size).toBe(entityCount - 2);
  });

  it('refuses ids that the graph does not have', () => {
    expect(() => answerQuery(graph, p(0, e(40)))).toThrow(
      'entity id: expected an integer in [0, 40), got 40',
    );
    expect(() => answerQuery(graph, p(4, e(0)))).toThrow('relation id: expected an integer in [0, 4), got 4');
  });
});

describe('createAnswerer', () => {
  it('gives the same answers when its sets are used again', () => {
    fc.assert(
      fc.property(facts, fc.array(query, { minLength: 2, maxLength: 6 }), (all, queries) => {
        const graph = graphOf(all);
        const answerer = createAnswerer(graph);
        for (const q of queries) {
          const { template, anchors, relations } = templateOf(q);
          const set = answerer.answer(template, anchors, relations);
          expect(set.equals(answerQuery(graph, q))).toBe(true);
        }
      }),
      { numRuns: 50 },
    );
  });

  it('leads nowhere from anchors and relations that the graph does not have', () => {
    const answerer = createAnswerer(graphOf([[0, 0, 1]]));
    expect(answerer.answer(structures['1p'].template, [0], [0]).size).toBe(1);
    expect(answerer.answer(structures['1p'].template, [99], [0]).size).toBe(0);
    expect(answerer.answer(structures['2p'].template, [0], [0, 99]).size).toBe(0);
    expect(answerer.answer({ op: 'entity', anchor: 0 }, [-1], []).size).toBe(0);
  });
});

describe('easyAndHard', () => {
  it('splits the answers by whether the smaller graph has them', () => {
    const smaller = graphOf([[0, 0, 1]]);
    const larger = smaller.union(graphOf([[0, 0, 2]]));
    const { easy, hard } = easyAndHard(smaller, larger, p(0, e(0)));
    expect([[...easy], [...hard]]).toEqual([[1], [2]]);
  });

  it('keeps an easy answer that a negation loses on the larger graph, but does not count it hard', () => {
    const smaller = graphOf([[0, 0, 1]]);
    const larger = smaller.union(graphOf([[3, 2, 1]]));
    const { easy, hard } = easyAndHard(smaller, larger, and(p(0, e(0)), not(p(2, e(3)))));
    expect([[...easy], [...hard]]).toEqual([[1], []]);
  });
});
