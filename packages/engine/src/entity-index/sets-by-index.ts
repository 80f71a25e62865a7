import { FuzzError } from '@fuzzqe/core';
import { nodesOf, type Query } from '@fuzzqe/core/query';
import { tailsOfLink } from '../candidates/find-candidates.ts';
import type { CallLimits } from '../ranker/call-limits.ts';
import type {
  ExplainRequest,
  FoundTails,
  Ranker,
  ResultOf,
  SetsRequest,
  WantedTails,
} from '../ranker/ranker.ts';
import { checkBounded } from './bounded-query.ts';
import type { EntityIndex, IndexHits } from './entity-index.ts';

/** A request of fuzzy sets that an index helps to answer. */
export type IndexedSetsRequest = SetsRequest | ExplainRequest;

/** How many entities, compared by graphs of a runtime, take as long as the candidates of a link or of a set. */
export const comparedRows: number = 2 ** 17;

/** How many links keep the tails that were found: 40 MB. */
const mostKept = 2 ** 16;

/**
 * Answers requests of fuzzy sets with the tails of links that an index finds: a round for each projection, until nothing is missing.
 *
 * Tails of links are kept: vectors of entities that the index has do not change.
 *
 * @throws FuzzError `query`: almost every entity would be an answer. As `search` of an index.
 */
export function createSetsByIndex(ranker: Ranker, index: EntityIndex) {
  const kept = new Map<string, FoundTails>();
  const most = Math.min(index.rows, index.capabilities.maxTopK);
  /** The tails that were found of a link, if there are as many as are enough. */
  const knownOf = (key: string, count: number): FoundTails | undefined => {
    const found = kept.get(key);
    return found !== undefined && found.ids.length >= Math.min(count, most) ? found : undefined;
  };
  const keyOf = ({ head, relation }: Pick<FoundTails, 'head' | 'relation'>): string => `${head} ${relation}`;
  const find = async (
    wanted: ReadonlyMap<string, WantedTails>,
    limits: CallLimits,
  ): Promise<ReadonlyMap<string, FoundTails>> => {
    const found = new Map<string, FoundTails>();
    const links: (readonly [key: string, link: WantedTails])[] = [];
    for (const [key, link] of wanted) {
      const known = knownOf(key, link.count);
      if (known === undefined) links.push([key, link]);
      else found.set(key, known);
    }
    if (links.length === 0) return found;
    const searches = links.map(([, { direction, count }]) => ({
      embedding: direction,
      k: Math.min(count, most),
      rough: true as const,
    }));
    const hits = await index.search(searches, limits);
    links.forEach(([key, { head, relation }], i) => {
      const tails = { head, relation, ids: checkedIds(hits[i]!, index) };
      found.set(key, tails);
      // The vector of an entity that came later may change.
      if (head < index.rows) kept.set(key, tails);
    });
    for (const key of kept.keys()) {
      if (kept.size <= mostKept) break;
      kept.delete(key);
    }
    return found;
  };
  return async <Request extends IndexedSetsRequest>(
    requests: readonly Request[],
    limits: CallLimits,
  ): Promise<ResultOf<Request>[]> => {
    for (const { query } of requests) checkBounded(query);
    const tails = requests.map(({ query }) => {
      const known = new Map<string, FoundTails>();
      for (const link of anchoredLinks(query)) {
        const found = knownOf(keyOf(link), tailsOfLink.anchor);
        if (found !== undefined) known.set(keyOf(link), found);
      }
      return known;
    });
    const results: ResultOf<Request>[] = new Array(requests.length);
    let open = [...requests.keys()];
    while (open.length > 0) {
      const asked: IndexedSetsRequest[] = open.map((place) => ({
        ...requests[place]!,
        tails: [...tails[place]!.values()],
      }));
      const found = await ranker.rank(asked, limits);
      const wanted = new Map<string, WantedTails>();
      const waiting: number[] = [];
      open.forEach((place, i) => {
        const missing = found[i]!.wanted ?? [];
        // Results are those of the task of their requests.
        if (missing.length === 0) results[place] = found[i] as ResultOf<Request>;
        else waiting.push(place);
        for (const link of missing) wanted.set(keyOf(link), link);
      });
      const more = await find(wanted, limits);
      open.forEach((place, i) => {
        for (const link of found[i]!.wanted ?? []) tails[place]!.set(keyOf(link), more.get(keyOf(link))!);
      });
      open = waiting;
    }
    return results;
  };
}

/** @throws FuzzError `runtime`: an index gives an entity that the bundle does not have. */
function checkedIds({ ids }: IndexHits, { name, rows }: EntityIndex): Int32Array {
  const wrong = ids.find((id) => !(id >= 0 && id < rows));
  if (wrong === undefined) return ids;
  throw new FuzzError('runtime', `expected ids of entities below ${rows}, got ${wrong}`, {
    path: name,
    hint: 'Rows were changed since they were pushed: push the bundle again with fuzzqe index push --replace.',
  });
}

/** The links that leave anchors. */
function anchoredLinks(query: Query): Pick<FoundTails, 'head' | 'relation'>[] {
  return nodesOf(query).flatMap((node) =>
    node.op === 'project' && node.from.op === 'entity'
      ? [{ head: node.from.entity, relation: node.relation }]
      : [],
  );
}
