import { FuzzError } from '@fuzzqe/core';
import type { IndexState } from '@fuzzqe/engine';
import type { IndexCalls } from '../store/index-calls.ts';

/** What is watched, and how. */
export interface WatchOptions {
  /** What and where it is, without credentials. */
  readonly name: string;
  /** What callers are told of it, who may not know where it is: `The entity index t (postgres)`. */
  readonly shown: string;
  readonly calls: IndexCalls;
  /** Rejects where it cannot be reached, with `runtime`, or does not fit, with another code. */
  readonly check: () => Promise<void>;
  /** How often it is looked at, in milliseconds; 0: never. */
  readonly every: number;
  /** Hears of every other state than before, with what is wrong. */
  readonly onState?: ((state: IndexState, error?: FuzzError) => void) | undefined;
}

/** What is known of an index without asking it. */
export interface IndexWatch {
  readonly state: IndexState;
  /**
   * Refuses what would be asked in vain: while it is looked at, nobody else has to try.
   *
   * @throws FuzzError `runtime`.
   */
  refuse(): void;
  /** A call has ended: where it failed, it is looked at soon. */
  called(): void;
  close(): void;
}

/** How soon it is looked at again while it is not ready, in milliseconds. */
const soon = 1000;

/** Looks at an index now and then, and more often while it does not answer, until it does. */
export function watchIndex({ name, shown, calls, check, every, onState }: WatchOptions): IndexWatch {
  let [changed, isClosed, isLooking]: [FuzzError | undefined, boolean, boolean] = [undefined, false, false];
  let timer: ReturnType<typeof setTimeout> | undefined;
  let told: IndexState = 'ready';
  const stateNow = (): IndexState => {
    if (isClosed) return 'closed';
    if (calls.failure !== undefined) return 'away';
    return changed === undefined ? 'ready' : 'changed';
  };
  const tell = (): void => {
    const state = stateNow();
    // Anyone who closed it knows.
    if (state === told || state === 'closed') return;
    told = state;
    onState?.(state, calls.failure ?? changed);
  };
  const plan = (): void => {
    clearTimeout(timer);
    if (every === 0 || isClosed || isLooking) return;
    timer = setTimeout(look, stateNow() === 'ready' ? every : Math.min(every, soon)).unref();
  };
  const look = async (): Promise<void> => {
    isLooking = true;
    try {
      await check();
      changed = undefined;
    } catch (error) {
      if (error instanceof FuzzError && error.code !== 'runtime') changed = changedBy(error, name, shown);
    }
    isLooking = false;
    tell();
    plan();
  };
  plan();
  return {
    get state() {
      return stateNow();
    },
    refuse() {
      if (isClosed)
        throw new FuzzError('runtime', 'the entity index is closed', { path: name, passing: true });
      // Where nobody looks, anyone who asks finds out.
      const error = every === 0 ? changed : (calls.failure ?? changed);
      if (error !== undefined) throw error;
    },
    called() {
      if (calls.failure !== undefined && told === 'ready') plan();
      tell();
    },
    close() {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}

/** What is there is of another bundle by now, until somebody pushes this one again. */
function changedBy(cause: FuzzError, name: string, shown: string): FuzzError {
  return new FuzzError('runtime', `the entity index was changed: ${cause.message}`, {
    path: name,
    hint: 'Push the bundle there again: fuzzqe index push --replace; it is asked again by itself then.',
    toCallers: `${shown} is not of this bundle any more.`,
    cause,
  });
}
