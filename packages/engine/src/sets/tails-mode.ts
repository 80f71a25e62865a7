import { type Answerer, type Query, templateOf } from '@fuzzqe/core/query';
import { type ArrayPool, bestAnswers, type SetsState, tailSets, type WantedAnswers } from '@fuzzqe/core/sets';
import { createTailDegrees, featureCount, type LinkState } from '@fuzzqe/evidence';
import type { DerivedGraph } from '../sessions/rank-all.ts';
import type { SessionCache } from '../sessions/session-cache.ts';
import { rowsOf } from '../sessions/tensor-values.ts';
import type { SetsMode } from './sets-mode.ts';

/** What answers by the likely tails of links: the mode of a graph, from the mode that answers by whole rows. */
export type TailsMode = (
  whole: SetsMode,
  graph: LinkState,
  state: SetsState & { readonly answerer: Answerer },
  pool: ArrayPool,
) => SetsMode;

/** How many likely tails are judged of each link. */
const likely = { ofAnchors: 8192, ofMembers: 4096 } as const;
/** The lowest degree of an answer, and how many answers, that likely tails suffice for. */
const [leastDegree, mostAnswers] = [0.001, 100];
/** How many rows of the entity table one run gathers: more do not stay in the cache until they are multiplied. */
const rowsTogether = 1024;
/** How many entities are judged in every link because another part of the query has them. */
const mostShared = 4096;

/**
 * Answers queries by the likely tails of links, if the answers that are wanted are few and have degrees of at least 0.001.
 *
 * Other calls need degrees of all entities, and get them: whole sets, many answers, answers among given entities.
 */
function createTailsMode(graph: DerivedGraph, sessions: SessionCache): TailsMode {
  const entities = graph.original.outputs[0]?.shape[1];
  const scores = async (heads: Int32Array, relations: Int32Array, ids: Int32Array): Promise<Float32Array> => {
    const session = await sessions.get(graph);
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
  return (whole, links, { answerer, ...state }, pool) => {
    // The model has no row of an entity or a relation that came later.
    const { entityCount, relationCount } = links.facts;
    const { temperature, relations } = links.weights;
    if (temperature === null || entityCount !== entities || relationCount * featureCount !== relations.length) return whole;
    const tails = createTailDegrees({ ...links, scores });
    return async <T>(
      queries: readonly Query[],
      wanted: readonly WantedAnswers[] | undefined,
      read: Parameters<typeof whole<T>>[2],
    ): Promise<T[]> => {
      if (wanted === undefined || !wanted.every(areLikely)) return whole(queries, wanted, read);
      const found: T[] = [];
      for (const [i, query] of queries.entries()) {
        const also = sharedAnswers(query, answerer);
        await pool.during(async (arrays) => {
          // What is judged in all parts depends on the query, and so do its sets.
          const cache = also.length === 0 ? state.cache : undefined;
          const quick = tailSets({ ...state, arrays, cache }, tails, { ...likely, also });
          const [answer] = await bestAnswers(quick, [query], [wanted[i]!]);
          found.push(read(answer!, i));
        });
      }
      return found;
    };
  };
}

/** Whether the wanted answers are likely tails. */
function areLikely({ count, least = 0, excluded, recorded }: WantedAnswers): boolean {
  return count <= mostAnswers && least >= leastDegree && (excluded?.size ?? 0) <= recorded.size;
}

/** What the facts give to the operands of conjunctions: other operands decide about it. */
function sharedAnswers(query: Query, answerer: Answerer): Int32Array {
  const shared = new Set<number>();
  const visit = (node: Query): void => {
    if (node.op === 'entity') return;
    if (node.op === 'project') return visit(node.from);
    if (node.op === 'not') return visit(node.operand);
    for (const operand of node.operands) {
      visit(operand);
      if (node.op === 'or' || operand.op === 'not') continue;
      const { template, anchors, relations } = templateOf(operand);
      const { set, size } = answerer.find(template, anchors, relations);
      if (size + shared.size <= mostShared) for (const id of set) shared.add(id);
    }
  };
  visit(query);
  return Int32Array.from(shared);
}

/** What makes the mode in a thread that ranks; undefined without a graph. */
export function tailsModeOf(
  graph: DerivedGraph | undefined,
): ((sessions: SessionCache) => TailsMode) | undefined {
  return graph && ((sessions) => createTailsMode(graph, sessions));
}
