import type { ApiMiddleware, FaultListener } from '@fuzzqe/api';
import type { Engine, OpenBundle } from '@fuzzqe/engine';

/** Changes of facts that an application at the edge takes: `deltaFacts`. */
export interface EdgeFacts {
  /** The bundle as one whose facts may change. Throws: `usage`, a bundle without facts. */
  changeable(bundle: OpenBundle): OpenBundle;
  /** Follows the changes from the first request on. */
  follow(engine: Engine, following: Following): FollowedFacts;
}

/** What following needs of an application. */
export interface Following {
  readonly onError: FaultListener;
  /** Marks work that other requests may wait for. */
  share<T>(work: Promise<T>): Promise<T>;
  /** Bytes of memory that changes may take. */
  readonly room: number;
}

/** Facts that are followed. */
export interface FollowedFacts {
  /** Waits for the first facts. Throws: what reading and changing throw. */
  opened(): Promise<void>;
  /** Waits for the facts that a request needs, and says their epoch with its answer. */
  readonly middleware: ApiMiddleware;
}
