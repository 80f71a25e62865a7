import { type ChangedFacts, changedFacts, type FactChanges, type KnowledgeGraph } from '@fuzzqe/core';
import type { EngineBundle } from './engine-manifest.ts';
import type { FactsEpoch } from './ranker/facts-epoch.ts';

/** What a change of facts came to. */
export interface FactsChanged extends Pick<ChangedFacts, 'added' | 'removed'> {
  /** That of the first queries that are answered by it; the epoch before where nothing changed. */
  readonly epoch: number;
}

/** What changes of facts are made to. */
export interface ChangingFacts extends Pick<EngineBundle, 'entailedBy'> {
  /** The facts of now, and how often they have changed. */
  readonly facts: KnowledgeGraph;
  readonly epoch: number;
  /** Has everything that answers follow changed facts; they are those of now when it is done. */
  follow(graph: KnowledgeGraph, rows: Omit<FactsEpoch, 'epoch' | 'oldest'>): Promise<void>;
}

interface Waiting {
  readonly changes: FactChanges;
  resolve(changed: FactsChanged): void;
  reject(cause: unknown): void;
}

/**
 * Makes changes one after the other, each whole.
 *
 * Changes that come while another is under way make one epoch together: a thousand changes a second wait for a few hundred answers of threads.
 *
 * @throws FuzzError, from a change: as `changedFacts`, for that change alone; what following throws, for all of its epoch.
 */
export function createFactChanges(of: ChangingFacts): (changes: FactChanges) => Promise<FactsChanged> {
  let waiting: Waiting[] = [];
  let isBusy = false;
  const makeAll = async (all: readonly Waiting[]): Promise<void> => {
    const before = of.facts;
    let graph = before;
    const made: { readonly one: Waiting; readonly counts: Omit<FactsChanged, 'epoch'> }[] = [];
    for (const one of all)
      try {
        const { graph: next, ...counts } = changedFacts(graph, one.changes);
        graph = next;
        made.push({ one, counts });
      } catch (cause) {
        one.reject(cause);
      }
    try {
      if (graph !== before) {
        const { rows, edgeCount, entityCount, relationCount } = graph;
        const entailed = of.entailedBy?.(graph);
        await of.follow(graph, {
          rows,
          edgeCount,
          entailed: entailed && { entityCount, relationCount, index: entailed.index },
        });
      }
      for (const { one, counts } of made) one.resolve({ epoch: of.epoch, ...counts });
    } catch (cause) {
      for (const { one } of made) one.reject(cause);
    }
  };
  const work = async (): Promise<void> => {
    isBusy = true;
    while (waiting.length > 0) {
      const all = waiting;
      waiting = [];
      await makeAll(all);
    }
    isBusy = false;
  };
  return (changes) =>
    new Promise((resolve, reject) => {
      waiting.push({ changes, resolve, reject });
      if (!isBusy) void work();
    });
}
