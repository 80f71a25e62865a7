import { EntitySet } from '@fuzzqe/core';
import { createAllowedMasks } from '../embedding/allowed-masks.ts';
import { rankEmbeddings } from '../embedding/rank-embeddings.ts';
import { rowsOfCentroids, rowsOfProjection } from '../embedding/run-operators.ts';
import { throwIfOver } from '../ranker/call-limits.ts';
import { createLifetime } from '../ranker/lifetime.ts';
import type { RankedBundle } from '../ranker/local-ranker.ts';
import { combinedSessions } from '../sessions/combined-sessions.ts';
import type { SessionFactory } from '../sessions/session.ts';
import { createSessionCache } from '../sessions/session-cache.ts';
import { checkSearch } from './check-search.ts';
import type { EntityIndex, IndexHits } from './entity-index.ts';

/** The bundle's own ranking of all entities as an index, exact: what others are compared with. */
export function createBundleIndex(
  bundle: RankedBundle,
  options: { readonly sessions: SessionFactory },
): EntityIndex {
  const { manifest, profile } = bundle;
  const { entities, dimension } = manifest.model;
  const sessions = createSessionCache(combinedSessions(options.sessions, profile), bundle.source);
  const projectedAtOnce = rowsOfProjection(profile, manifest.model);
  const context = {
    profile,
    sessions,
    batchSize: 1,
    projectedAtOnce,
    centroidsAtOnce: rowsOfCentroids(profile, manifest.model),
    model: manifest.model,
    masks: createAllowedMasks(entities, 1),
    openRankAll: undefined,
  };
  const lifetime = createLifetime(() => sessions.close());
  const index: EntityIndex = {
    name: `bundle ${manifest.name}`,
    capabilities: { exact: true, maxTopK: entities, metric: 'innerProduct' },
    rows: entities,
    dimension,
    get state() {
      return lifetime.open ? 'ready' : 'closed';
    },
    search: (searches, limits = {}) =>
      lifetime.during(async () => {
        const found: IndexHits[] = [];
        for (const search of searches) {
          throwIfOver(limits);
          checkSearch(search, index);
          const { embedding, k, allowed, excluded } = search;
          const others = allowed && EntitySet.from(entities, allowed).complement();
          const left = excluded && EntitySet.from(entities, excluded);
          const [ranking] = await rankEmbeddings(
            context,
            [{ embedding, excluded: others && left ? others.unionWith(left) : (others ?? left) }],
            k,
          );
          found.push(ranking!);
        }
        return found;
      }),
    close: () => lifetime.close(),
  };
  return index;
}
