import type { SessionFactory, TensorValues } from '../sessions/session.ts';
import type { MemoryBundle } from './memory-bundle.ts';
import { referenceSessions } from './reference-sessions.ts';

/** A run of a graph. */
export interface NotedRun {
  /** Its name: that of its file. */
  readonly graph: string;
  readonly feeds: TensorValues;
  /** How many rows it was given. */
  readonly rows: number;
}

/** Falsifies what is run. */
export interface Falsified {
  /** Which graph stands for one. */
  graph?(name: string): string;
  /** What a run is given. */
  feeds?(run: NotedRun): TensorValues;
}

/** The float64 reference, noting every run. */
export function notingSessions(
  bundle: MemoryBundle,
  { graph: standIn = (name) => name, feeds: given = ({ feeds }) => feeds }: Falsified = {},
): SessionFactory & { readonly runs: NotedRun[] } {
  const factory = referenceSessions(bundle.config, bundle.parameters);
  const runs: NotedRun[] = [];
  return {
    runtime: factory.runtime,
    runs,
    async open(graph, source) {
      const name = graph.path.replace(/^.*\/|\.onnx$/g, '');
      const session = await factory.open({ ...graph, path: standIn(name) }, source);
      return {
        run(feeds) {
          const run = { graph: name, feeds, rows: Object.values(feeds)[0]!.dims[0]! };
          runs.push(run);
          return session.run(given(run));
        },
        close: () => session.close(),
      };
    },
  };
}
