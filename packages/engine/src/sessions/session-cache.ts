import type { BundleSource, GraphEntry } from '@fuzzqe/bundle';
import { FuzzError } from '@fuzzqe/core';
import type { DerivedGraph } from './rank-all.ts';
import type { Session, SessionFactory } from './session.ts';

/** The sessions of one engine, each opened when first needed and once. */
export interface SessionCache {
  /** The session of a graph. A graph that could not be opened is tried again at the next call. */
  get(graph: GraphEntry | DerivedGraph): Promise<Session>;
  /** Closes every session; nothing is opened afterwards. */
  close(): Promise<void>;
}

/**
 * A cache over a runtime and the files of a bundle, keyed by the path of the graph and its case there.
 *
 * @param isCompact whether a graph is opened so that it takes little memory. Default: none is.
 */
export function createSessionCache(
  factory: SessionFactory,
  source: BundleSource,
  isCompact: (graph: GraphEntry) => boolean = () => false,
): SessionCache {
  const opened = new Map<string, Promise<Session>>();
  let closed = false;
  return {
    get(graph) {
      if (closed) return Promise.reject(new FuzzError('runtime', 'the engine is closed', { passing: true }));
      const key = keyOf(graph);
      const known = opened.get(key);
      if (known !== undefined) return known;
      const session =
        'bytes' in graph
          ? factory.openDerived!(graph, source)
          : factory.open(graph, source, { compact: isCompact(graph) });
      opened.set(key, session);
      // A failure is forgotten, so that the next caller tries again; anyone who waits now still hears of it.
      session.catch(() => {
        if (opened.get(key) === session) opened.delete(key);
      });
      return session;
    },
    async close() {
      closed = true;
      const sessions = await Promise.allSettled(opened.values());
      opened.clear();
      await Promise.all(
        sessions.map((result) => (result.status === 'fulfilled' ? result.value.close() : null)),
      );
    },
  };
}

function keyOf(graph: GraphEntry | DerivedGraph): string {
  if ('bytes' in graph) return `${graph.path} derived`;
  return graph.case === undefined ? graph.path : `${graph.path} ${graph.case}`;
}
