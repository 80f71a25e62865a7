import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fuzzErrorOf } from '../testing/fuzz-error-of.ts';
import { changedFacts } from './changed-facts.ts';
import { datedGraph } from './dated-graph.ts';
import { hasValidity } from './fact-validity.ts';
import { factsAt, periodAt } from './facts-at.ts';
import { createKnowledgeGraph, type KnowledgeGraph, shareGraph } from './knowledge-graph.ts';
import { ratedGraph } from './rated-graph.ts';
import { reindexedGraph } from './reindexed-graph.ts';

type Fact = readonly [head: number, relation: number, tail: number];
const [entityCount, relationCount] = [7, 6];
const of = (facts: readonly Fact[]): Int32Array => Int32Array.from(facts.flat());
const graphOf = (facts: readonly Fact[]): KnowledgeGraph =>
  createKnowledgeGraph({ entityCount, relationCount, triples: of(facts) });
const entity = fc.integer({ min: 0, max: entityCount - 1 });
const someFact = fc.tuple(entity, fc.integer({ min: 0, max: relationCount - 1 }), entity);
const someFacts = fc.array(someFact, { maxLength: 8 });

describe('validity', () => {
  const moment = fc.constantFrom(Number.NEGATIVE_INFINITY, 0, 1, 2, 3, Number.POSITIVE_INFINITY);
  const span = fc.tuple(moment, moment).map((pair) => pair.sort((a, b) => (a < b ? -1 : 1)));
  const always = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  const nameOf = ([h, r, t]: Fact): string => (r % 2 === 0 ? `${h} ${r} ${t}` : `${t} ${r - 1} ${h}`);
  const namesIn = (graph: KnowledgeGraph): string[] => {
    const triples = graph.forwardTriples();
    return Array.from({ length: triples.length / 3 }, (_, i) => triples.subarray(3 * i, 3 * i + 3).join(' '));
  };

  it('is that with which each fact came last, whatever came and went', () => {
    const dated = fc.tuple(someFact, span);
    const change = fc.record({
      added: fc.array(dated, { maxLength: 8 }),
      removed: someFacts,
      rejected: someFacts,
      isGiven: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(change, { maxLength: 8 }), fc.boolean(), (changes, isShared) => {
        const plain = new Map<string, readonly number[]>([['0 0 1', always]]);
        let graph = isShared ? shareGraph(graphOf([[0, 0, 1]])) : graphOf([[0, 0, 1]]);
        const check = (of: KnowledgeGraph, expected: ReadonlyMap<string, readonly number[]>): void => {
          const moments = [-1, 0, 1.5, 3];
          expect(moments.map((at) => namesIn(factsAt(of, at)).sort())).toEqual(
            moments.map((at) =>
              Array.from(expected, ([name, [begin, end]]) => (begin! <= at && at < end! ? name : ''))
                .filter(Boolean)
                .sort(),
            ),
          );
          const bounded = [...expected].filter(([, holds]) => `${holds}` !== `${always}`);
          const found = [...expected.keys()].filter((name) => {
            const [h, r, t] = name.split(' ').map(Number) as unknown as Fact;
            return hasValidity(of.validity, t, r + 1, h);
          });
          expect([found, found.length]).toEqual([
            bounded.map(([name]) => name),
            (of.validity?.moments.length ?? 0) / 2,
          ]);
        };
        for (const { added, removed, rejected, isGiven } of changes) {
          const before = { graph, plain: new Map(plain) };
          for (const fact of [...removed, ...rejected]) plain.delete(nameOf(fact));
          for (const [fact, holds] of added) plain.set(nameOf(fact), isGiven ? holds : always);
          graph = changedFacts(graph, {
            added: of(added.map(([fact]) => fact)),
            ...(isGiven ? { validities: added.flatMap(([, holds]) => holds) } : {}),
            removed: of(removed),
            rejected: of(rejected),
          }).graph;
          check(graph, plain);
          check(before.graph, before.plain);
          if (isShared && graph.validity !== undefined)
            for (const values of Object.values(graph.validity))
              expect(values.buffer).toBeInstanceOf(SharedArrayBuffer);
        }
      }),
      { numRuns: 100 },
    );
  });

  it('alone changes a graph, and the same one does not; it stays where a graph grows', () => {
    const graph = graphOf([
      [0, 0, 1],
      [0, 0, 2],
    ]);
    const dated = changedFacts(graph, { added: of([[1, 1, 0]]), validities: [1, 2] });
    expect([dated.added, dated.removed, dated.graph === graph]).toEqual([0, 0, false]);
    expect(dated.graph.rows).toBe(graph.rows);
    expect(changedFacts(dated.graph, { added: of([[0, 0, 1]]), validities: [1, 2] }).graph).toBe(dated.graph);
    const more = changedFacts(dated.graph, { entityCount: 9, added: of([[8, 0, 3]]) }).graph;
    expect(more.validity).toBe(dated.graph.validity);
    expect(reindexedGraph(more).validity).toBe(more.validity);
    expect(datedGraph(graph, of([[0, 0, 1]]), [1, 2]).validity).toEqual(dated.graph.validity);
    expect(datedGraph(graph, of([[0, 0, 1]]), always)).toBe(graph);
    expect(ratedGraph(more, of([[0, 0, 2]]), [0.5]).validity).toBe(more.validity);
    expect(changedFacts(more, { added: of([[0, 0, 1]]) }).graph.validity).toBeUndefined();
  });

  it('has periods, in which the same facts hold', () => {
    const facts: Fact[] = [
      [0, 0, 1],
      [0, 0, 2],
      [0, 0, 3],
    ];
    const validities = [...[10, 20], ...[-5, 10], ...[20, Number.POSITIVE_INFINITY]];
    const { validity } = changedFacts(graphOf(facts), { added: of(facts), validities }).graph;
    const periods = [-6, -5, 9, 10, 19, 20, 100].map((at) => periodAt(validity!, at));
    expect(periods.map((period) => periods.indexOf(period))).toEqual([0, 1, 1, 3, 3, 5, 5]);
  });

  it('is refused in another number, with an end before its beginning, and with what is no number', () => {
    const graph = graphOf([[0, 0, 1]]);
    for (const validities of [[], [1], [1, 2, 3, 4], [2, 1], [Number.NaN, 1], [1, Number.NaN]])
      expect(
        fuzzErrorOf(() => changedFacts(graph, { added: of([[0, 0, 2]]), validities })).message,
      ).toContain('validit');
    expect(changedFacts(graph, { added: of([[0, 0, 2]]), validities: [1, 1] }).added).toBe(1);
  });
});
