import { type Answerer, createAnswerer, nodesOf, type Query, templateOf } from '@fuzzqe/core/query';
import { type AnswerSet, bestAnswers, type SetCache, tailSets, type WantedAnswers } from '@fuzzqe/core/sets';
import { createTailDegrees, featureCount } from '@fuzzqe/evidence';
import type { DerivedGraph } from '../sessions/rank-all.ts';
import type { Session } from '../sessions/session.ts';
import { rowsOf } from '../sessions/tensor-values.ts';
import { type CreateSetsMode, createSetsMode } from './sets-mode.ts';

/** How many likely tails are judged of each link. */
const likely = { ofAnchors: 8192, ofMembers: 6144 } as const;
/** The lowest degree of an answer, and how many answers, that likely tails suffice for. */
const [leastDegree, mostAnswers] = [0.01, 20];
/** How many rows of the entity table one run gathers: more do not stay in the cache until they are multiplied. */
const rowsTogether = 1024;
/** How many entities are judged in every link because another part of the query has them. */
const mostShared = 4096;

/**
 * Answers queries by the likely tails of links, if the answers that are wanted are few and have degrees of at least 0.01.
 *
 * Whole sets, many answers and answers among given entities need the degrees of all entities, and get them.
 */
export function createTailsMode(graph: DerivedGraph, open: () => Promise<Session>): CreateSetsMode {
  const entities = graph.original.outputs[0]?.shape[1];
  const scores = async (heads: Int32Array, relations: Int32Array, ids: Int32Array): Promise<Float32Array> => {
    const session = await open();
    const [links, count] = [heads.length, ids.length];
    const dims = [links];
    const all = new Float32Array(links * count);
    for (let from = 0; from < count; from += rowsTogether) {
      const some = ids.slice(from, from + rowsTogether);
      const outputs = await session.run({
        heads: { dims, data: heads },
        relations: { dims, data: relations },
        ids: { dims: [some.length], data: some },
      });
      const [found] = rowsOf(outputs, 'scores', 1, links * some.length);
      for (let i = 0; i < links; i += 1)
        all.set(found!.subarray(i * some.length, (i + 1) * some.length), i * count + from);
    }
    return all;
  };
  return (state, together, pool, links) => {
    const whole = createSetsMode(state, together, pool);
    // The model has no row of an entity or a relation that came later.
    const { entityCount, relationCount } = links.facts;
    const { temperature, relations } = links.weights;
    if (temperature === null || entityCount !== entities || relationCount * featureCount !== relations.length)
      return whole;
    const ofLikely = state.cache && likelyCache(state.cache);
    const answerer = createAnswerer(links.facts);
    const tails = createTailDegrees({ ...links, scores });
    return async <T>(
      queries: readonly Query[],
      wanted: readonly WantedAnswers[] | undefined,
      read: (answer: AnswerSet, place: number) => T,
    ): Promise<T[]> => {
      if (wanted === undefined) return whole(queries, wanted, read);
      // Whatever else is asked together, a query has the same answer.
      const others = [...queries.keys()].filter((i) => !areLikely(wanted[i]!));
      const found: T[] = [];
      const pick = <Of>(all: readonly Of[]): Of[] => others.map((i) => all[i]!);
      const ofOthers = await whole(pick(queries), pick(wanted), (answer, at) => read(answer, others[at]!));
      others.forEach((i, at) => {
        found[i] = ofOthers[at]!;
      });
      for (const [i, query] of queries.entries()) {
        if (!areLikely(wanted[i]!)) continue;
        const also = sharedAnswers(query, answerer);
        await pool.during(async (arrays) => {
          // What is judged in all parts depends on the query, and so do its sets.
          const cache = also.length === 0 ? ofLikely : undefined;
          const quick = tailSets({ ...state, arrays, cache }, tails, { ...likely, also });
          const [answer] = await bestAnswers(quick, [query], [wanted[i]!]);
          found[i] = read(answer!, i);
        });
      }
      return found;
    };
  };
}

/** A cache whose sets are in no way those of whole rows. */
function likelyCache(cache: SetCache): SetCache {
  return {
    get hits() {
      return cache.hits;
    },
    get misses() {
      return cache.misses;
    },
    get: (key) => cache.get(`likely ${key}`),
    put: (key, set) => cache.put(`likely ${key}`, set),
  };
}

/** Whether the wanted answers are likely tails. */
function areLikely({ count, minDegree = 0, excluded, recorded }: WantedAnswers): boolean {
  return count <= mostAnswers && minDegree >= leastDegree && (excluded?.size ?? 0) <= recorded.size;
}

/** What the facts give to the operands of conjunctions: other operands decide about it. */
function sharedAnswers(query: Query, answerer: Answerer): Int32Array {
  const shared = new Set<number>();
  // Inner conjunctions come first.
  for (const node of [...nodesOf(query)].reverse())
    for (const operand of node.op === 'and' ? node.operands : []) {
      if (operand.op === 'not') continue;
      const { template, anchors, relations } = templateOf(operand);
      const { set, size } = answerer.find(template, anchors, relations);
      if (size + shared.size <= mostShared) for (const id of set) shared.add(id);
    }
  return Int32Array.from(shared);
}
