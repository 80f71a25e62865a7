import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { answerQuery } from '../query/answers.ts';
import { and, entity, not, project } from '../query/query.ts';
import { fuzzErrorOf } from '../testing/fuzz-error-of.ts';
import { changedFacts } from './changed-facts.ts';
import { confidenceOf, isRejected, rejectedTails } from './fact-confidences.ts';
import { asEntityId, asRelationId } from './ids.ts';
import {
  createKnowledgeGraph,
  type KnowledgeGraph,
  openChangedGraph,
  shareGraph,
} from './knowledge-graph.ts';

type Fact = readonly [head: number, relation: number, tail: number];
const [entityCount, relationCount] = [7, 6];
const of = (facts: readonly Fact[]): Int32Array => Int32Array.from(facts.flat());
const graphOf = (facts: readonly Fact[]): KnowledgeGraph =>
  createKnowledgeGraph({ entityCount, relationCount, triples: of(facts) });

/** Facts by name, forwards: what a set says of changes. */
class Plain {
  readonly #facts = new Set<string>();
  static #name([head, relation, tail]: Fact): string {
    return relation % 2 === 0 ? `${head} ${relation} ${tail}` : `${tail} ${relation - 1} ${head}`;
  }
  add(fact: Fact): boolean {
    const { size } = this.#facts;
    return this.#facts.add(Plain.#name(fact)).size > size;
  }
  remove(fact: Fact): boolean {
    return this.#facts.delete(Plain.#name(fact));
  }
  facts(): Fact[] {
    return [...this.#facts].map((name) => name.split(' ').map(Number) as unknown as Fact);
  }
}

/** Everything that a graph says, by its methods. */
function sayings(graph: KnowledgeGraph): unknown {
  const entities = Array.from({ length: entityCount }, (_, id) => id);
  const relations = Array.from({ length: relationCount }, (_, id) => id);
  return {
    edges: graph.edgeCount,
    triples: [...graph.forwardTriples()],
    tails: entities.map((head) => relations.map((relation) => [...graph.tails(head, relation)])),
    has: entities.map((h) => relations.map((r) => entities.map((t) => graph.has(h, r, t)))),
    relations: entities.map((head) => [...graph.relationsOf(head)]),
    degrees: entities.map(graph.degree),
    heads: relations.map((relation) => [...graph.headsOf(relation)]),
    answers: relations.map((r) =>
      answerQuery(
        graph,
        and(
          project(asRelationId(r), project(asRelationId(2), entity(asEntityId(1)))),
          not(project(asRelationId(0), entity(asEntityId(0)))),
        ),
      ).toArray(),
    ),
  };
}

const someFact = fc.tuple(fc.nat(entityCount - 1), fc.nat(relationCount - 1), fc.nat(entityCount - 1));
const someFacts = fc.array(someFact, { maxLength: 12 });

describe('changedFacts', () => {
  it('says after any changes what a graph says that was made of the facts that are left, and leaves graphs before as they were', () => {
    const change = fc.record({ added: someFacts, removed: someFacts });
    fc.assert(
      fc.property(
        fc.array(someFact, { minLength: 1, maxLength: 20 }),
        fc.array(change, { minLength: 1, maxLength: 8 }),
        fc.boolean(),
        (facts, changes, isShared) => {
          const plain = new Plain();
          for (const fact of facts) plain.add(fact);
          let graph = isShared ? shareGraph(graphOf(facts)) : graphOf(facts);
          const { index } = graph;
          const earlier: { readonly graph: KnowledgeGraph; readonly said: unknown }[] = [];
          for (const { added, removed } of changes) {
            earlier.push({ graph, said: sayings(graph) });
            const kept = new Set(added.map(String));
            // A fact of both is there afterwards, whichever way round it is written.
            const both = ([h, r, t]: Fact) => kept.has(String([h, r, t])) || kept.has(String([t, r ^ 1, h]));
            const gone = removed.filter((fact) => !both(fact) && plain.remove(fact)).length;
            const come = added.filter((fact) => plain.add(fact)).length;
            const next = changedFacts(graph, { added: of(added), removed: of(removed) });
            expect([next.added, next.removed]).toEqual([come, gone]);
            graph = next.graph;
            const left = plain.facts();
            if (left.length > 0) expect(sayings(graph)).toEqual(sayings(graphOf(left)));
            else expect(graph.edgeCount).toBe(0);
          }
          expect(graph.index).toBe(index);
          for (const { graph: before, said } of earlier) expect(sayings(before)).toEqual(said);
        },
      ),
      { numRuns: 100 },
    );
  });

  it('grows: new entities and relations have the facts that are added, and room behind for the next ones', () => {
    const plain = new Plain();
    for (const fact of [
      [0, 0, 1],
      [1, 2, 2],
    ] as const)
      plain.add(fact);
    for (const isShared of [false, true]) {
      let graph = createKnowledgeGraph({ entityCount: 3, relationCount: 4, triples: of(plain.facts()) });
      if (isShared) graph = shareGraph(graph);
      const first = graph;
      const grown = changedFacts(graph, { entityCount: 5, relationCount: 4 });
      expect([grown.added, grown.removed, grown.graph.entityCount]).toEqual([0, 0, 5]);
      const { index } = grown.graph;
      graph = changedFacts(grown.graph, {
        entityCount,
        relationCount,
        added: of([
          [6, 4, 0],
          [3, 0, 1],
        ]),
        removed: of([[0, 0, 1]]),
      }).graph;
      expect(sayings(graph)).toEqual(
        sayings(
          graphOf([
            [6, 4, 0],
            [3, 0, 1],
            [1, 2, 2],
          ]),
        ),
      );
      // There was room, so that statistics that follow from the index stay.
      expect(changedFacts(graph, { entityCount: entityCount + 1 }).graph.index).toBe(graph.index);
      expect(index.relationOffsets).not.toBe(graph.index.relationOffsets);
      expect([...first.forwardTriples()]).toEqual([0, 0, 1, 1, 2, 2]);
      expect(openChangedGraph(graph, graph).forwardTriples()).toEqual(graph.forwardTriples());
    }
    expect(fuzzErrorOf(() => changedFacts(graphOf([[0, 0, 1]]), { entityCount: 2 })).code).toBe('data');
    expect(fuzzErrorOf(() => changedFacts(graphOf([[0, 0, 1]]), { relationCount: 7 })).code).toBe('data');
  });

  it('changes an earlier graph anew, apart from what a later one has', () => {
    const first = graphOf([[0, 0, 1]]);
    const second = changedFacts(first, { added: of([[0, 0, 2]]) }).graph;
    const third = changedFacts(second, { added: of([[0, 0, 3]]) }).graph;
    const other = changedFacts(second, { added: of([[0, 0, 4]]) }).graph;
    expect([first, second, third, other].map((graph) => [...graph.tails(0, 0)])).toEqual([
      [1],
      [1, 2],
      [1, 2, 3],
      [1, 2, 4],
    ]);
  });

  it('writes on for longer than its arrays have room, with what comes and goes at one entity', () => {
    const plain = new Plain();
    plain.add([0, 0, 1]);
    let graph = createKnowledgeGraph({ entityCount: 3000, relationCount, triples: of([[0, 0, 1]]) });
    for (let i = 2; i < 3000; i += 1) {
      plain.add([0, 0, i]);
      plain.remove([0, 0, i - 7]);
      graph = changedFacts(graph, {
        added: of([[0, 0, i]]),
        removed: of([[0, 0, i - 7 > 0 ? i - 7 : 0]]),
      }).graph;
    }
    expect([...graph.tails(0, 0)]).toEqual(
      plain
        .facts()
        .map(([, , tail]) => tail)
        .sort((a, b) => a - b),
    );
    // Room for garbage ends: 3000 changes of a row of 7 would take 21 000.
    expect(graph.rows.tails.length).toBeLessThan(10_000);
  });

  it('takes many facts at once as it takes few', () => {
    const facts = Array.from({ length: 5000 }, (_, i): Fact => [i % 97, 2 * (i % 3), (i * i + 3 * i) % 101]);
    const [some, others] = [facts.slice(0, 100), facts.slice(100)];
    const size = { entityCount: 101, relationCount };
    const start = createKnowledgeGraph({ ...size, triples: of(some) });
    const atOnce = changedFacts(start, { added: of(others) });
    let oneByOne = start;
    for (const fact of others) oneByOne = changedFacts(oneByOne, { added: of([fact]) }).graph;
    const whole = createKnowledgeGraph({ ...size, triples: of(facts) }).forwardTriples();
    expect(atOnce.graph.forwardTriples()).toEqual(whole);
    expect(oneByOne.forwardTriples()).toEqual(whole);
    expect(atOnce.added).toBe(whole.length / 3 - start.edgeCount / 2);
    const none = changedFacts(atOnce.graph, { removed: of(facts) });
    expect([none.removed, none.graph.edgeCount]).toEqual([whole.length / 3, 0]);
  });

  it('lies in memory that threads share where the index does, and opens there from its rows', () => {
    const { graph } = changedFacts(shareGraph(graphOf([[0, 0, 1]])), { added: of([[5, 4, 6]]) });
    for (const values of Object.values(graph.rows)) expect(values.buffer).toBeInstanceOf(SharedArrayBuffer);
    const { rows, edgeCount, index } = structuredClone({
      rows: graph.rows,
      edgeCount: graph.edgeCount,
      index: graph.index,
    });
    expect(sayings(openChangedGraph({ entityCount, relationCount, index }, { rows, edgeCount }))).toEqual(
      sayings(graph),
    );
  });

  it('is the graph itself where nothing changes', () => {
    const graph = graphOf([[0, 0, 1]]);
    const same = { graph, added: 0, removed: 0, rejected: 0 };
    expect(changedFacts(graph, {})).toEqual(same);
    expect(changedFacts(graph, { added: of([[1, 1, 0]]), removed: of([[3, 0, 3]]) }).graph).toBe(graph);
    // And is not where something does.
    expect(changedFacts(graph, { removed: of([[1, 1, 0]]) }).graph).not.toBe(graph);
  });

  it('refuses facts that the graph cannot have, as a graph does', () => {
    const graph = graphOf([[0, 0, 1]]);
    const refusals: readonly [changes: Parameters<typeof changedFacts>[1], message: string][] = [
      [{ added: Int32Array.of(0, 0) }, 'triples: expected a length that 3 divides, got 2'],
      [{ added: of([[0, 0, 7]]) }, 'tail: expected an id in [0, 7), got 7'],
      [{ removed: of([[0, 6, 1]]) }, 'relation: expected an id in [0, 6), got 6'],
    ];
    for (const [changes, message] of refusals)
      expect(fuzzErrorOf(() => changedFacts(graph, changes))).toMatchObject({ code: 'data', message });
  });
});

describe('confidences', () => {
  /** The degree of every fact by name, forwards. */
  const degreesOf = (graph: KnowledgeGraph): Record<string, number> => {
    const triples = graph.forwardTriples();
    return Object.fromEntries(
      Array.from({ length: triples.length / 3 }, (_, i) => {
        const [h, r, t] = triples.subarray(3 * i, 3 * i + 3) as unknown as Fact;
        const degree = confidenceOf(graph.confidences, h, r, t);
        expect(confidenceOf(graph.confidences, t, r ^ 1, h)).toBe(degree);
        return [`${h} ${r} ${t}`, degree];
      }),
    );
  };

  it('are those that each fact came with last, whatever came and went', () => {
    const rated = fc.tuple(someFact, fc.constantFrom(1, 1, 0.5, 0.25));
    const change = fc.record({ added: fc.array(rated, { maxLength: 8 }), removed: someFacts });
    fc.assert(
      fc.property(fc.array(change, { maxLength: 8 }), fc.boolean(), (changes, isShared) => {
        const plain = new Map<string, number>([['0 0 1', 1]]);
        const nameOf = ([h, r, t]: Fact): string => (r % 2 === 0 ? `${h} ${r} ${t}` : `${t} ${r - 1} ${h}`);
        let graph = isShared ? shareGraph(graphOf([[0, 0, 1]])) : graphOf([[0, 0, 1]]);
        for (const { added, removed } of changes) {
          for (const fact of removed) plain.delete(nameOf(fact));
          for (const [fact, confidence] of added) plain.set(nameOf(fact), confidence);
          const confidences = added.map(([, confidence]) => confidence);
          const before = { graph, degrees: degreesOf(graph) };
          graph = changedFacts(graph, {
            added: of(added.map(([fact]) => fact)),
            confidences,
            removed: of(removed),
          }).graph;
          expect(degreesOf(graph)).toEqual(Object.fromEntries(plain));
          expect(degreesOf(before.graph)).toEqual(before.degrees);
          const unsure = [...plain.values()].filter((each) => each < 1).length;
          expect(graph.confidences?.degrees.length ?? 0).toBe(2 * unsure);
          if (isShared && unsure > 0)
            for (const values of Object.values(graph.confidences!))
              expect(values.buffer).toBeInstanceOf(SharedArrayBuffer);
        }
      }),
      { numRuns: 200 },
    );
  });

  it('alone change a graph, and the same ones do not', () => {
    const graph = graphOf([[0, 0, 1]]);
    const unsure = changedFacts(graph, { added: of([[1, 1, 0]]), confidences: [0.5] });
    expect([unsure.added, unsure.removed]).toEqual([0, 0]);
    expect(unsure.graph).not.toBe(graph);
    expect(unsure.graph.rows).toBe(graph.rows);
    const again = changedFacts(unsure.graph, { added: of([[0, 0, 1]]), confidences: [0.5] });
    expect(again.graph).toBe(unsure.graph);
    // Facts that come without a doubt leave the arrays of the others as they are.
    const more = changedFacts(unsure.graph, { added: of([[2, 0, 3]]) }).graph;
    expect(more.confidences).toBe(unsure.graph.confidences);
    expect(changedFacts(more, { added: of([[0, 0, 1]]) }).graph.confidences).toBeUndefined();
    // A recorded fact keeps a degree above 0 in single precision.
    const least = changedFacts(graph, { added: of([[0, 0, 1]]), confidences: [1e-300] }).graph;
    expect(confidenceOf(least.confidences, 0, 0, 1)).toBeGreaterThan(0);
  });

  it('stay where a graph grows, and where only they change the arrays are written on', () => {
    const unsure = changedFacts(graphOf([[0, 0, 1]]), { added: of([[0, 0, 2]]), confidences: [0.5] }).graph;
    const grown = changedFacts(unsure, { entityCount: 9, added: of([[8, 0, 1]]) }).graph;
    expect(confidenceOf(grown.confidences, 0, 0, 2)).toBe(0.5);
    const rated = changedFacts(grown, { added: of([[0, 0, 1]]), confidences: [0.25] }).graph;
    const next = changedFacts(rated, { added: of([[0, 0, 3]]) }).graph;
    expect(next.rows.tails).toBe(grown.rows.tails);
  });

  it('are refused out of (0, 1], and in another number', () => {
    const graph = graphOf([[0, 0, 1]]);
    for (const confidences of [[0], [1.5], [Number.NaN], [], [1, 1]])
      expect(
        fuzzErrorOf(() => changedFacts(graph, { added: of([[0, 0, 2]]), confidences })).message,
      ).toContain('confidence');
  });
});

describe('rejections', () => {
  const someChanges = fc.array(
    fc.record({ added: someFacts, removed: someFacts, rejected: someFacts, rated: fc.boolean() }),
    { maxLength: 8 },
  );

  it('are what was last said of a link, whichever way round, and no fact', () => {
    fc.assert(
      fc.property(someChanges, fc.boolean(), (changes, isShared) => {
        const nameOf = ([h, r, t]: Fact): string => (r % 2 === 0 ? `${h} ${r} ${t}` : `${t} ${r - 1} ${h}`);
        /** 1 of a fact, 0 of a rejected link. */
        const plain = new Map<string, number>([['0 0 1', 1]]);
        let graph = isShared ? shareGraph(graphOf([[0, 0, 1]])) : graphOf([[0, 0, 1]]);
        for (const { added, removed, rejected, rated } of changes) {
          const before = new Map(plain);
          for (const fact of removed) plain.delete(nameOf(fact));
          for (const fact of rejected) plain.set(nameOf(fact), 0);
          for (const fact of added) plain.set(nameOf(fact), 1);
          const made = changedFacts(graph, {
            ...{ added: of(added), removed: of(removed), rejected: of(rejected) },
            ...(rated ? { confidences: added.map(() => 0.5) } : {}),
          });
          graph = made.graph;
          const names = new Set([...before.keys(), ...plain.keys()]);
          const count = (fits: (was: number | undefined, is: number | undefined) => boolean): number =>
            [...names].filter((name) => fits(before.get(name), plain.get(name))).length;
          expect([made.added, made.removed, made.rejected]).toEqual([
            count((was, is) => was !== 1 && is === 1),
            count((was, is) => was !== undefined && is === undefined),
            count((was, is) => was !== 0 && is === 0),
          ]);
          const ids = (count: number): number[] => Array.from({ length: count }, (_, id) => id);
          const perLink = <T>(of: (h: number, r: number) => T): T[][] =>
            ids(entityCount).map((h) => ids(relationCount).map((r) => of(h, r)));
          const those = (h: number, r: number, degree: number): number[] =>
            ids(entityCount).filter((t) => plain.get(nameOf([h, r, t])) === degree);
          const { confidences, tails } = graph;
          expect(perLink((h, r) => rejectedTails(confidences, h, r))).toEqual(
            perLink((h, r) => those(h, r, 0)),
          );
          expect(perLink((h, r) => [...tails(h, r)])).toEqual(perLink((h, r) => those(h, r, 1)));
          expect(perLink((h, r) => ids(entityCount).filter((t) => isRejected(confidences, h, r, t)))).toEqual(
            perLink((h, r) => those(h, r, 0)),
          );
        }
      }),
      { numRuns: 60 },
    );
  });
});
