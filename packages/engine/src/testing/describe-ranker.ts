import { type BundleSource, type Golden, parityTolerances, readGolden } from '@fuzzqe/bundle';
import {
  asEntityId,
  asRelationId,
  changedFacts,
  type EntitySet,
  FuzzError,
  type KnowledgeGraph,
} from '@fuzzqe/core';
import {
  answerQuery,
  entity,
  instantiate,
  planPattern,
  project,
  type Query,
  structures,
} from '@fuzzqe/core/query';
import { createGraphLinks, createRuleIndex, defaultWeights } from '@fuzzqe/evidence';
import { type OpenBundle, openBundle } from '../bundle.ts';
import type { Ranker, RankRequest } from '../ranker/ranker.ts';
import { goldenFailure } from '../readiness/golden-check.ts';
import type { TestRunner } from './describe-session.ts';
import { expectThat } from './session-case-tools.ts';

/** What a ranker's suite runs on, made anew for every case. */
export interface RankerSetup {
  readonly source: BundleSource;
  readonly open: (bundle: OpenBundle) => Promise<Ranker>;
}

/** One thing that every ranker must do. It throws where the ranker does not. */
export interface RankerCase {
  readonly name: string;
  run(context: RankerCaseContext): Promise<void>;
}

/** A ranker over a bundle whose answers are known. */
export interface RankerCaseContext {
  readonly ranker: Ranker;
  readonly facts: KnowledgeGraph;
  readonly golden: Golden;
  readonly queries: readonly Query[];
  readonly tolerances: ReturnType<typeof parityTolerances>;
}

/** What every `Ranker` must do. */
export const rankerCases: readonly RankerCase[] = [
  {
    name: 'agrees with the golden cases in one batch of all kinds of requests, and in batches of one',
    async run({ ranker, golden: { k, cases }, queries, tolerances }) {
      const requests = queries.flatMap((query, i): RankRequest[] => [
        { task: 'sets', query, k },
        { task: 'embedding', query, k, withEmbedding: true },
        { task: 'embed', query },
        { task: 'degrees', query },
        { task: 'explain', query, answers: Int32Array.from(cases[i]!.sets?.ids ?? []), members: 2 },
      ]);
      const together = await ranker.rank(requests);
      const some = requests.slice(0, 10);
      const alone = await Promise.all(some.map(async (request) => (await ranker.rank([request]))[0]!));
      for (const [i, result] of [...together, ...alone].entries()) {
        const expected = cases[Math.floor((i % requests.length) / 5)]!;
        expectThat(
          result.task === requests[i % requests.length]!.task,
          `place ${i}: got a result of ${result.task}`,
        );
        const failure = goldenFailure(result, expected, tolerances);
        expectThat(failure === undefined, `${expected.structure}, ${result.task}: ${failure}`);
      }
    },
  },
  {
    name: 'marks what the facts give, leaves it out where that is asked, and gives nothing but what is allowed',
    async run({ ranker, facts, queries }) {
      const k = facts.entityCount;
      const allowed = Int32Array.from({ length: Math.ceil(k / 3) }, (_, i) => 3 * i);
      for (const task of ['sets', 'embedding'] as const) {
        const rank = (options: Partial<Pick<RankRequest & { task: 'sets' }, 'exclude' | 'allowed'>>) =>
          ranker.rank(queries.map((query) => ({ task, query, k, ...options })));
        const [all, unknown, some] = [
          await rank({}),
          await rank({ exclude: 'known' }),
          await rank({ exclude: 'known', allowed }),
        ];
        queries.forEach((query, i) => {
          const known: EntitySet = answerQuery(facts, query);
          const { ids, known: marks } = all[i]!;
          ids.forEach((id, place) => {
            expectThat((marks[place] === 1) === known.has(id), `${task}: entity ${id} is marked wrongly`);
          });
          const others = ids.filter((id) => !known.has(id));
          const same = (actual: Int32Array, expected: Int32Array): boolean => `${actual}` === `${expected}`;
          expectThat(same(unknown[i]!.ids, others), `${task}: known answers are not left out`);
          const third = others.filter((id) => id % 3 === 0);
          expectThat(same(some[i]!.ids, third), `${task}: what is not allowed is not left out`);
        });
      }
    },
  },
  {
    name: 'scores chosen entities by an embedding as it does where it ranks them all',
    async run({ ranker, queries, golden: { cases }, tolerances }) {
      const found = await ranker.rank(
        cases.map(({ embedding, ids }) => ({
          task: 'score' as const,
          embedding: Float32Array.from(embedding),
          ids: Int32Array.from(ids).reverse(),
        })),
      );
      expectThat(found.length === queries.length, 'expected scores of each query');
      for (const [i, expected] of cases.entries()) {
        const inOrder = { task: 'score' as const, scores: found[i]!.scores.toReversed() };
        const failure = goldenFailure(inOrder, expected, tolerances);
        expectThat(failure === undefined, `${expected.structure}, score: ${failure}`);
      }
    },
  },
  {
    name: 'recalls what the facts give to a query by themselves, in ascending order',
    async run({ ranker, facts, queries }) {
      const found = await ranker.rank(queries.map((query) => ({ task: 'recorded', query }) as const));
      queries.forEach((query, i) => {
        const expected = [...answerQuery(facts, query)];
        expectThat(
          `${found[i]!.ids}` === `${expected}`,
          `query ${i}: expected ${expected}, got ${found[i]!.ids}`,
        );
      });
    },
  },
  {
    name: 'searches the tuples of a pattern, with the degrees of its links',
    async run({ ranker, facts, tolerances }) {
      const relation = asRelationId(0);
      const [x, y] = [{ variable: 0 }, { variable: 1 }];
      const pair = planPattern({
        variables: ['x', 'y'],
        answers: [0, 1],
        where: {
          op: 'and',
          operands: [
            { op: 'link', relation, from: x, to: y },
            { op: 'not', operand: { op: 'same', left: x, right: y } },
          ],
        },
      });
      const limits = { links: 4096, width: facts.entityCount, least: 0, answersFrom: 0.5 };
      const [found] = await ranker.rank([{ task: 'pattern', plan: pair, k: 50, ...limits, count: 10_000 }]);
      const { tuples, degrees, known, unseen, recorded } = found!;
      expectThat(
        degrees.length === 50 && unseen === 0,
        `expected 50 tuples, got ${degrees.length}, ${unseen}`,
      );
      const triples = facts.forwardTriples();
      const given = Array.from({ length: triples.length / 3 }, (_, i) =>
        triples.subarray(3 * i, 3 * i + 3),
      ).filter(([head, r, tail]) => r === 0 && head !== tail);
      expectThat(recorded === given.length, `expected ${given.length} recorded tuples, got ${recorded}`);
      const sets = await ranker.rank(
        Array.from(degrees, (_, i) => {
          const query = project(relation, entity(asEntityId(tuples[2 * i]!)));
          return { task: 'degrees' as const, query };
        }),
      );
      degrees.forEach((degree, i) => {
        const [head, tail] = [tuples[2 * i]!, tuples[2 * i + 1]!];
        const apart = Math.abs(sets[i]!.degrees[tail]! - degree);
        expectThat(
          apart <= tolerances.degree.absolute + tolerances.degree.relative,
          `${head} ${tail}: ${apart} apart`,
        );
        expectThat((known[i] === 1) === facts.has(head, 0, tail), `${head} ${tail} is marked wrongly`);
        expectThat(head !== tail, 'expected different entities');
      });
      const [others] = await ranker.rank([
        { task: 'pattern', plan: pair, k: 50, ...limits, exclude: 'known' },
      ]);
      const left = others!.degrees.length === 50 && others!.known.every((mark) => mark === 0);
      expectThat(left, 'recorded tuples are not left out');
    },
  },
  {
    name: 'refuses a call that was given up or is too late, and answers the next',
    async run({ ranker, queries: [query] }) {
      const requests = [{ task: 'sets', query: query!, k: 3 }] as const;
      const refusal = (limits: Parameters<Ranker['rank']>[1]) =>
        ranker.rank(requests, limits).then(
          () => 'an answer',
          (error: unknown) => (error instanceof FuzzError ? `${error.name} ${error.code}` : `${error}`),
        );
      const aborted = await refusal({ signal: AbortSignal.abort() });
      expectThat(
        aborted === 'AbortError interrupted',
        `a call that was given up: expected AbortError interrupted, got ${aborted}`,
      );
      const late = await refusal({ deadline: performance.now() - 1 });
      expectThat(
        late === 'FuzzError deadline',
        `a call that is too late: expected FuzzError deadline, got ${late}`,
      );
      const [result] = await ranker.rank(requests, { deadline: performance.now() + 60_000 });
      expectThat(result!.task === 'sets', 'expected an answer in time');
    },
  },
  {
    name: 'waits for what is under way when it closes, and refuses what comes after',
    async run({ ranker, queries }) {
      const requests = queries.map((query) => ({ task: 'sets', query, k: 3 }) as const);
      const answering = ranker.rank(requests);
      const closed = ranker.close();
      expectThat(!ranker.ready, 'expected a closed ranker not to be ready');
      expectThat((await answering).length === queries.length, 'expected an answer to each request');
      await closed;
      const refused = await ranker.rank(requests).then(
        () => false,
        (error: unknown) => error instanceof FuzzError && error.code === 'runtime',
      );
      expectThat(refused, 'expected a closed ranker to refuse');
      await ranker.close();
    },
  },
  {
    name: 'follows changes of facts, and answers requests of an epoch that is kept by the facts of it',
    async run({ ranker, facts, queries }) {
      if (ranker.follow === undefined) return;
      const triples = facts.forwardTriples();
      const first = changedFacts(facts, { removed: triples.slice(0, 60) }).graph;
      const second = changedFacts(first, {
        added: triples.slice(0, 30),
        confidences: Array.from({ length: 10 }, (_, i) => (i + 1) / 10),
        removed: triples.slice(90, 120),
      }).graph;
      const epochs = [facts, first, second];
      const check = async (epoch: number | undefined, graph: KnowledgeGraph): Promise<void> => {
        const k = graph.entityCount;
        const recorded = await ranker.rank(queries.map((query) => ({ task: 'recorded', query, epoch })));
        const sets = await ranker.rank(queries.map((query) => ({ task: 'sets', query, k, epoch })));
        queries.forEach((query, i) => {
          const known = answerQuery(graph, query);
          expectThat(`${recorded[i]!.ids}` === `${known.toArray()}`, `epoch ${epoch}: other facts`);
          const { ids, known: marks } = sets[i]!;
          ids.forEach((id, place) => {
            expectThat(
              (marks[place] === 1) === known.has(id),
              `epoch ${epoch}: entity ${id} is marked wrongly`,
            );
          });
        });
      };
      const follow = (epoch: number, oldest: number): Promise<void> => {
        const { rows, edgeCount, confidences, entityCount, relationCount } = epochs[epoch]!;
        const size = { entityCount, relationCount, grown: undefined, vectors: undefined };
        const changed = { rows, edgeCount, confidences, ...size };
        return ranker.follow!({ epoch, oldest, ...changed, entailed: undefined });
      };
      await follow(1, 0);
      for (const epoch of [0, 1]) await check(epoch, epochs[epoch]!);
      await check(undefined, first);
      await follow(2, 1);
      for (const epoch of [1, 2]) await check(epoch, epochs[epoch]!);
      await check(undefined, second);
      for (let i = 0; i < 10; i += 1) {
        const [head, relation, tail] = triples.subarray(3 * i, 3 * i + 3);
        const query = project(asRelationId(relation!), entity(asEntityId(head!)));
        const [set] = await ranker.rank([{ task: 'degrees', query }]);
        expectThat(
          set!.degrees[tail!] === Math.fround((i + 1) / 10),
          'expected the confidence of a fact as its degree',
        );
      }
      const changed = queries.filter(
        (query) => `${answerQuery(facts, query).toArray()}` !== `${answerQuery(second, query).toArray()}`,
      );
      expectThat(changed.length > 0, 'no query has other answers: the facts that changed say nothing');
    },
  },
  {
    name: 'answers at a moment by the facts that hold then, as by a graph that has no others',
    async run({ ranker, facts, queries }) {
      if (ranker.follow === undefined) return;
      const triples = facts.forwardTriples().slice(0, 90);
      // A third holds until 10, a third from 10 to 20, and a third from 20 on.
      const spans = [
        [Number.NEGATIVE_INFINITY, 10],
        [10, 20],
        [20, Number.POSITIVE_INFINITY],
      ] as const;
      const validities = Array.from({ length: 30 }, (_, i) => spans[i % 3]!).flat();
      const dated = changedFacts(facts, { added: triples, validities }).graph;
      const follow = async (epoch: number, graph: KnowledgeGraph): Promise<void> => {
        const { rows, edgeCount, confidences, validity, entityCount, relationCount } = graph;
        await ranker.follow!({
          ...{ epoch, oldest: 0, rows, edgeCount, confidences, validity, entityCount, relationCount },
          ...{ grown: undefined, vectors: undefined, entailed: undefined },
        });
      };
      const degreesOf = async (which: { readonly epoch: number; readonly at?: number }): Promise<string> => {
        const sets = await ranker.rank(queries.map((query) => ({ task: 'degrees', query, ...which })));
        const recorded = await ranker.rank(queries.map((query) => ({ task: 'recorded', query, ...which })));
        return `${sets.map(({ degrees }) => degrees)} ${recorded.map(({ ids }) => ids)}`;
      };
      await follow(1, dated);
      const all = await degreesOf({ epoch: 1 });
      for (const [i, at] of [9, 10, 19, 20].entries()) {
        const holding = [0, 1, 1, 2][i]!;
        const removed = triples.filter((_, place) => Math.floor(place / 3) % 3 !== holding);
        await follow(i + 2, changedFacts(facts, { removed }).graph);
        const found = await degreesOf({ epoch: 1, at });
        expectThat(found === (await degreesOf({ epoch: i + 2 })), `other answers at ${at}`);
        expectThat(found !== all, `the facts that do not hold at ${at} say nothing`);
        expectThat(
          (await degreesOf({ epoch: i + 2, at })) === found,
          'facts without bounds do not always hold',
        );
      }
      expectThat((await degreesOf({ epoch: 1 })) === all, 'a moment changes what is answered without one');
    },
  },
  {
    name: 'answers along a relation that came later by its facts and what follows from them, in every thread alike',
    async run({ ranker, facts }) {
      if (ranker.follow === undefined) return;
      const { relationCount } = facts;
      // A copy of relation 0, of which every third fact is left out.
      const copied = facts.headsOf(0).reduce<number[][]>((all, head) => {
        for (const tail of facts.tails(head, 0)) all.push([head, relationCount, tail]);
        return all;
      }, []);
      const added = Int32Array.from(copied.filter((_, i) => i % 3 > 0).flat());
      const first = changedFacts(facts, { relationCount: relationCount + 2, added }).graph;
      const second = changedFacts(first, { removed: added.subarray(0, added.length - 3) }).graph;
      const heads = Int32Array.from({ length: 12 }, (_, i) => copied[i % copied.length]![2 * (i % 2)]!);
      const relations = heads.map((_, i) => relationCount + (i % 2));
      const rowsOf = async (graph: KnowledgeGraph): Promise<Float32Array> => {
        const rules = createRuleIndex({ relationCount, rules: [] });
        const state = { facts: graph, rules, weights: defaultWeights(relationCount) };
        return createGraphLinks(state).links.rows(heads, relations);
      };
      const rows = [await rowsOf(first), await rowsOf(second)];
      expectThat(`${rows[0]}` !== `${rows[1]}`, 'the facts that went say nothing');
      for (const [i, graph] of [first, second].entries()) {
        const { rows: changed, edgeCount, entityCount, index } = graph;
        await ranker.follow({
          ...{ epoch: i + 1, oldest: i + 1, rows: changed, edgeCount, entityCount },
          ...{ relationCount: graph.relationCount, grown: { times: 1, index } },
          ...{ vectors: undefined, entailed: undefined, confidences: undefined },
        });
        const found = await Promise.all(
          Array.from(heads, (head, at) => {
            const query = project(asRelationId(relations[at]!), entity(asEntityId(head)));
            return ranker.rank([{ task: 'degrees', query }]);
          }),
        );
        for (const [at, [set]] of found.entries()) {
          const expected = rows[i]!.subarray(at * entityCount, (at + 1) * entityCount);
          expectThat(`${set!.degrees}` === `${expected}`, `epoch ${i + 1}: link ${at} has other degrees`);
        }
      }
    },
  },
];

/**
 * Declares the contract of `Ranker` as tests of one.
 *
 * @example
 * describeRanker({ describe, it }, 'a pool', async () => ({ source, open: (bundle) => createPooledRanker(bundle, options) }));
 */
export function describeRanker(
  { describe, it }: TestRunner,
  name: string,
  setup: () => Promise<RankerSetup>,
): void {
  describe(name, () => {
    for (const rankerCase of rankerCases)
      it(rankerCase.name, async () => {
        const context = await rankerContext(await setup());
        try {
          await rankerCase.run(context);
        } finally {
          await context.ranker.close();
        }
      });
  });
}

/** What a case runs on. */
export async function rankerContext({ source, open }: RankerSetup): Promise<RankerCaseContext> {
  const bundle = await openBundle(source);
  const { manifest, profileName, facts } = bundle;
  const golden = await readGolden(source, manifest, profileName);
  const queries = golden.cases.map(({ structure, anchors, relations }) =>
    instantiate(structures[structure].template, anchors, relations),
  );
  const tolerances = parityTolerances(manifest, profileName);
  return { ranker: await open(bundle), facts, golden, queries, tolerances };
}
