import { type Graph, open } from 'fuzzqe';

/** Where the process keeps the graph: `next dev` loads this module again after each change. */
const kept: typeof globalThis & { fuzzqeGraph?: Promise<Graph> | undefined } = globalThis;

/** The graph, which the first question opens. */
export function openedGraph(): Promise<Graph> {
  kept.fuzzqeGraph ??= open('runs/graph/bundle').catch((error: unknown) => {
    // The next question tries again.
    kept.fuzzqeGraph = undefined;
    throw error;
  });
  return kept.fuzzqeGraph;
}
