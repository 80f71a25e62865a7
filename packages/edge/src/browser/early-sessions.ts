import type { BundleSource, GraphEntry } from '@fuzzqe/bundle';
import { FuzzError } from '@fuzzqe/core';
import { javascriptSessions, type OpenHow, type Session, type SessionFactory } from '@fuzzqe/engine';

/** Graphs that run in JavaScript until a runtime has them open. */
export interface EarlySessions extends SessionFactory {
  /** Begins the runtime, once, and resolves when every open graph runs on it, or when it is known that it does not begin. */
  begin(): Promise<void>;
}

/**
 * Opens graphs in plain JavaScript at once, and on a runtime as soon as that has begun.
 *
 * Each graph that is open moves over by itself; what is read of the bundle for JavaScript is not read again for the runtime. Where
 * `openRuntime` fails, or a graph does not open there, JavaScript goes on and `onFailure` hears why.
 */
export function createEarlySessions(
  openRuntime: () => Promise<SessionFactory>,
  onFailure: (cause: unknown) => void,
): EarlySessions {
  // The first goes with its copy of the weights once no graph runs there.
  let factory = javascriptSessions();
  let hasBegun = false;
  const reads = new WeakMap<BundleSource, BundleSource>();
  const open = new Set<MovingSession>();
  let beginning: Promise<void> | undefined;
  /** The same source, which reads a file once for both. */
  const readOnce = (source: BundleSource): BundleSource => {
    const known = reads.get(source) ?? readingOnce(source, () => hasBegun);
    reads.set(source, known);
    return known;
  };
  const move = async (session: MovingSession): Promise<void> => {
    try {
      await session.moveTo(factory);
    } catch (cause) {
      onFailure(cause);
    }
  };
  return {
    get runtime() {
      return factory.runtime;
    },
    async open(graph, source, how) {
      const files = readOnce(source);
      // From the same source as those that moved over: it stands for the weights that the runtime keeps.
      if (hasBegun) return factory.open(graph, files, how);
      const session = movingSession(await factory.open(graph, files), { graph, source: files, how }, () =>
        open.delete(session),
      );
      open.add(session);
      // The runtime may have come meanwhile.
      if (hasBegun) await move(session);
      return session;
    },
    begin() {
      beginning ??= (async () => {
        try {
          factory = await openRuntime();
          hasBegun = true;
        } catch (cause) {
          return onFailure(cause);
        }
        for (const session of open) await move(session);
        open.clear();
      })();
      return beginning;
    },
  };
}

/** A session that goes on elsewhere. */
interface MovingSession extends Session {
  /** @throws FuzzError what opening there throws; it goes on where it was. */
  moveTo(factory: SessionFactory): Promise<void>;
}

/** How a graph is opened again. */
interface Reopening {
  readonly graph: GraphEntry;
  readonly source: BundleSource;
  readonly how: OpenHow | undefined;
}

function movingSession(
  first: Session,
  { graph, source, how }: Reopening,
  onClose: () => void,
): MovingSession {
  let current = first;
  let isClosed = false;
  let moving: Promise<void> | undefined;
  return {
    async run(feeds) {
      if (isClosed) throw new FuzzError('runtime', `${graph.path}: the session is closed`, { passing: true });
      return current.run(feeds);
    },
    moveTo(factory) {
      moving ??= (async () => {
        const next = await factory.open(graph, source, how);
        const left = current;
        current = next;
        await left.close();
        if (isClosed) await next.close();
      })();
      return moving;
    },
    async close() {
      isClosed = true;
      onClose();
      await current.close();
    },
  };
}

/** Keeps what is read of graphs and weights for who reads it next, who is the last; nothing any more where `isLast`. */
function readingOnce(source: BundleSource, isLast: () => boolean): BundleSource {
  const kept = new Map<string, Promise<Uint8Array>>();
  return {
    ...source,
    read(path, most, sha256) {
      const known = kept.get(path);
      if (known !== undefined) {
        kept.delete(path);
        return known;
      }
      const reading = source.read(path, most, sha256);
      if (isLast()) return reading;
      kept.set(path, reading);
      // Anyone who comes next tries again.
      reading.catch(() => kept.delete(path));
      return reading;
    },
  };
}
