import { EntitySet, FuzzError } from '@fuzzqe/core';
import { relationsOf } from '../candidates/candidate-graph.ts';
import type { CallLimits } from '../ranker/call-limits.ts';
import { createLifetime } from '../ranker/lifetime.ts';
import type {
  EmbeddingRequest,
  EmbeddingResult,
  Ranker,
  RankRequest,
  RankResult,
  ResultOf,
} from '../ranker/ranker.ts';
import { chunksOf } from '../sessions/tensor-values.ts';
import type { EntityIndex, IndexHits, IndexSearch } from './entity-index.ts';
import { comparedRows, createSetsByIndex, type IndexedSetsRequest } from './sets-by-index.ts';

/** How a ranker asks an index. */
export interface IndexedRankerOptions {
  /** |E| of the bundle. */
  readonly entityCount: number;
  /** How many relations the bundle has. Where it is given, fuzzy sets ask the index as well; default: they compare all entities. */
  readonly relationCount?: number | undefined;
  /** How many times k an index is asked for that may miss some; the best k of these are kept. In [1, 100]. Default 4. */
  readonly overFetch?: number;
}

/** How many more than k are asked for at least: equal scores, and those that differ by rounding alone. */
const spare = 8;

/**
 * A ranker that asks an index instead of scoring every entity; all that needs no index is the other ranker's.
 *
 * A query is embedded, the index finds candidates, and the bundle's own rows score these exactly, so that an answer's score does not
 * depend on the index. Filters and what is excluded go to the index. With `relationCount`, the index also finds the tails of links for fuzzy sets
 * (`createSetsByIndex`); patterns and whole sets compare all entities. While the index is away, rankings by embeddings are refused, and fuzzy sets compare
 * all entities. It closes both.
 *
 * @throws FuzzError `range`: an index of another number of entities, or no over-fetch.
 * @example
 * const index = await openEntityIndex('postgres://localhost/kg', engine);
 * const indexed = createIndexedRanker(engine.ranker, index, engine.facts);
 */
export function createIndexedRanker(
  ranker: Ranker,
  index: EntityIndex,
  { entityCount, relationCount = 0, overFetch = 4 }: IndexedRankerOptions,
): Ranker {
  if (index.rows !== entityCount)
    throw new FuzzError('range', `expected ${entityCount} rows, got ${index.rows}`, {
      path: index.name,
      hint: 'The index is of another bundle: fuzzqe index push makes one of this bundle.',
    });
  if (!(overFetch >= 1 && overFetch <= 100))
    throw new FuzzError('range', `overFetch: expected a number in [1, 100], got ${overFetch}`);
  const { exact, maxTopK } = index.capabilities;
  /** How many candidates make k answers, where so many entities may be. */
  const candidatesFor = (k: number, possible: number): number =>
    Math.min(Math.max(exact ? k : Math.ceil(k * overFetch), k + spare), maxTopK, possible);

  /** How many entities there are in each epoch that is kept; fewer in none. */
  const sizes = new Map<number, number>();
  let latest = entityCount;
  const sizeAt = (epoch: number | undefined): number =>
    epoch === undefined ? latest : (sizes.get(epoch) ?? entityCount);

  const rankByIndex = async (
    requests: readonly EmbeddingRequest[],
    limits: CallLimits,
  ): Promise<EmbeddingResult[]> => {
    for (const { k } of requests) if (k > maxTopK) throw tooMany(k, index);
    const prepared = await ranker.rank(
      requests.flatMap(({ query, plan, epoch }) => [
        { task: 'embed' as const, query, plan, epoch },
        { task: 'recorded' as const, query, epoch },
      ]),
      limits,
    );
    const asked = requests.map((request, i) => {
      const [embed, recorded] = [prepared[2 * i]!, prepared[2 * i + 1]!];
      // Results stand in the order of their requests.
      if (embed.task !== 'embed' || recorded.task !== 'recorded') throw new Error('results out of order');
      const { embedding } = embed;
      const chosen = selectionOf(request, recorded.ids, entityCount);
      const count = candidatesFor(request.k, chosen.possible);
      const fresh = newEntities(request, recorded.ids, entityCount, sizeAt(request.epoch));
      return { embedding, known: recorded.ids, count, fresh, ...chosen };
    });
    const searched = asked.filter(({ count, possible }) => count < possible);
    const hits =
      searched.length === 0
        ? []
        : await index.search(
            searched.map(
              ({ embedding, count, allowed, excluded }): IndexSearch => ({
                embedding,
                k: count,
                allowed,
                excluded,
              }),
            ),
            limits,
          );
    let next = 0;
    const candidates = asked.map((one) => {
      const found = one.count < one.possible ? checkedIds(hits[next++]!, one, index) : one.all();
      return one.fresh.length === 0 ? found : Int32Array.of(...found, ...one.fresh);
    });
    const scored = await ranker.rank(
      asked.map(({ embedding }, i) => ({
        task: 'score' as const,
        embedding,
        ids: candidates[i]!,
        epoch: requests[i]!.epoch,
      })),
      limits,
    );
    return requests.map((request, i): EmbeddingResult => {
      const { embedding, known } = asked[i]!;
      const { ids, scores } = bestOf(candidates[i]!, scored[i]!.scores, request.k);
      const facts = new Set(known);
      return {
        task: 'embedding',
        ids,
        scores,
        known: Uint8Array.from(ids, (id) => (facts.has(id) ? 1 : 0)),
        embedding: request.withEmbedding === true ? embedding : undefined,
      };
    });
  };

  const rank = async <Request extends RankRequest>(
    batch: readonly Request[],
    limits: CallLimits,
  ): Promise<ResultOf<Request>[]> => {
    const kinds = batch.map(kindOf);
    const of = <Kind extends RankRequest>(kind: RequestKind) =>
      // Kinds are those of the requests.
      batch.filter((_, i) => kinds[i] === kind) as readonly RankRequest[] as readonly Kind[];
    if (kinds.every((kind) => kind === 'other')) return ranker.rank(batch, limits);
    const others = of<RankRequest>('other');
    const rankAll = async (): Promise<EmbeddingResult[]> => {
      const results: EmbeddingResult[] = [];
      for (const chunk of chunksOf(of<EmbeddingRequest>('embedding'), searchedAtOnce))
        results.push(...(await rankByIndex(chunk, limits)));
      return results;
    };
    const [embedding, sets, other] = await Promise.all([
      rankAll(),
      rankSets(of<IndexedSetsRequest>('sets'), limits),
      others.length === 0 ? [] : ranker.rank(others, limits),
    ]);
    const results: Record<RequestKind, RankResult[]> = { embedding, sets, other };
    // Each result stands where its request did.
    return kinds.map((kind) => results[kind].shift()!) as ResultOf<Request>[];
  };
  const setsByIndex = createSetsByIndex(ranker, index);
  const rankSets = async (
    requests: readonly IndexedSetsRequest[],
    limits: CallLimits,
  ): Promise<RankResult[]> => {
    try {
      return await setsByIndex(requests, limits);
    } catch (cause) {
      // Without the index, all entities are compared.
      if (index.state === 'ready') throw cause;
      return ranker.rank(requests, limits);
    }
  };
  const kindOf = (request: RankRequest): RequestKind => {
    if (request.task === 'embedding') return 'embedding';
    const isSets = request.task === 'sets' || request.task === 'explain';
    if (!isSets || index.state !== 'ready') return 'other';
    const relations = [...relationsOf(request.query)];
    return relations.every((relation) => relation < relationCount) ? 'sets' : 'other';
  };

  const lifetime = createLifetime(async () => {
    await Promise.all([ranker.close(), index.close()]);
  });
  const { observe, refusalOf, follow } = ranker;
  return {
    get runtime() {
      return `${ranker.runtime}, ${index.name}`;
    },
    plan: ranker.plan,
    get ready() {
      // Fuzzy sets need no index: what needs it is refused by itself while it is away.
      return lifetime.open && ranker.ready;
    },
    index,
    rankedRows: relationCount === 0 ? candidatesFor(1000, entityCount) : Math.min(comparedRows, entityCount),
    // As the ranker has them now, or has none.
    get cache() {
      return ranker.cache!;
    },
    get counters() {
      return ranker.counters!;
    },
    ...(observe === undefined ? {} : { observe: (observer) => observe.call(ranker, observer) }),
    ...(refusalOf === undefined ? {} : { refusalOf: (caller) => refusalOf.call(ranker, caller) }),
    ...(follow === undefined
      ? {}
      : {
          async follow(facts) {
            await follow.call(ranker, facts);
            for (const epoch of sizes.keys()) if (epoch < facts.oldest) sizes.delete(epoch);
            latest = facts.entityCount;
            sizes.set(facts.epoch, latest);
          },
        }),
    rank: (batch, limits = {}) => lifetime.during(() => rank(batch, limits)),
    warmUp: (mode) => ranker.warmUp(mode),
    close: () => lifetime.close(),
  };
}

/** By what a request is answered: the embedding through the index, fuzzy sets through the index, or the other ranker alone. */
type RequestKind = 'embedding' | 'sets' | 'other';

/** How many searches an index is asked for together. */
const searchedAtOnce = 32;

interface Chosen extends Pick<IndexSearch, 'allowed' | 'excluded'> {
  /** How many entities may be answers. */
  readonly possible: number;
  /** All of these, ascending. */
  all(): Int32Array;
}

/** The entities that came after the index was made and may be answers: all of them are candidates. */
function newEntities(
  { exclude, allowed }: Pick<EmbeddingRequest, 'exclude' | 'allowed'>,
  known: Int32Array,
  first: number,
  end: number,
): Int32Array {
  if (end === first) return new Int32Array();
  const all = allowed?.slice().sort() ?? Int32Array.from({ length: end - first }, (_, i) => first + i);
  return all.filter((id) => id >= first && (exclude !== 'known' || !known.includes(id)));
}

/** What the index may give, as the shorter of two lists; undefined where it may give everything. */
function selectionOf(
  { exclude, allowed: given }: Pick<EmbeddingRequest, 'exclude' | 'allowed'>,
  recorded: Int32Array,
  entityCount: number,
): Chosen {
  const isIndexed = (id: number): boolean => id < entityCount;
  const [known, allowed] = [recorded.filter(isIndexed), given?.filter(isIndexed)];
  const without = exclude === 'known' ? known : new Int32Array();
  if (allowed === undefined) {
    const all = (): Int32Array => EntitySet.from(entityCount, without).complement().toArray();
    const excluded = without.length === 0 ? undefined : without;
    return { possible: entityCount - without.length, all, allowed: undefined, excluded };
  }
  const left = new Set(without);
  const open = allowed.filter((id) => !left.has(id)).sort();
  const isLong = open.length > entityCount / 2;
  return {
    possible: open.length,
    all: () => open,
    allowed: isLong ? undefined : open,
    excluded: isLong ? EntitySet.from(entityCount, open).complement().toArray() : undefined,
  };
}

/**
 * The entities that were found.
 *
 * @throws FuzzError `runtime`: an index gives what was not asked for.
 */
function checkedIds(
  { ids }: IndexHits,
  { count, allowed, excluded }: Chosen & { count: number },
  index: EntityIndex,
) {
  const [open, closed] = [allowed && new Set(allowed), new Set(excluded)];
  const wrong = ids.find((id) => !(id >= 0 && id < index.rows) || closed.has(id) || open?.has(id) === false);
  if (wrong === undefined && ids.length === count && new Set(ids).size === count) return ids;
  const got = wrong === undefined ? `${new Set(ids).size}` : `entity ${wrong} among them`;
  throw new FuzzError('runtime', `expected ${count} distinct entities that may be answers, got ${got}`, {
    path: index.name,
    hint: 'Rows were changed since they were pushed: push the bundle again with fuzzqe index push --replace.',
  });
}

/** The k best by their scores, ties to the lower id. */
function bestOf(ids: Int32Array, scores: Float32Array, k: number): Pick<EmbeddingResult, 'ids' | 'scores'> {
  const places = Array.from(ids.keys()).sort((a, b) => scores[b]! - scores[a]! || ids[a]! - ids[b]!);
  const best = places.slice(0, k);
  return {
    ids: Int32Array.from(best, (place) => ids[place]!),
    scores: Float32Array.from(best, (place) => scores[place]!),
  };
}

function tooMany(k: number, { name, capabilities }: EntityIndex): FuzzError {
  return new FuzzError('range', `k: expected at most ${capabilities.maxTopK} by the entity index, got ${k}`, {
    path: '$.k',
    hint: `Ask for fewer answers; ${name} gives no more at once.`,
  });
}
