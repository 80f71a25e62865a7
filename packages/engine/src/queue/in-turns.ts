import type { FuzzError, Steps } from '@fuzzqe/core';
import { type CallLimits, givenUp, throwIfOver } from '../ranker/call-limits.ts';
import { nextTurn } from './next-turn.ts';

/** Milliseconds for which all work together holds the event loop before others have their turn. */
const longestHeld = 4;

interface Work {
  /** Does a piece; true when there is no other. */
  next(): boolean;
}

const line: Work[] = [];
/** Milliseconds since others had their turn. */
let held = 0;
/** Whether the next turn of the event loop is to end that time. */
let isCounted = false;
let isPaused = false;
/** How often the line has paused. */
let pauses = 0;

/**
 * Does work of this thread that may be long in pieces, one work after the other: at most a few milliseconds of all of it in a turn of
 * the event loop, which others' requests and health have between them.
 *
 * @throws FuzzError `interrupted`, `deadline`: the limits. What the work throws.
 */
export function inTurns<T>(steps: Steps<T>, { signal, deadline }: CallLimits = {}): Promise<T> {
  return new Promise((resolve, reject) => {
    let isOpen = true;
    let refusal: FuzzError | undefined;
    // Pieces may be done by another request's timer, which Workers refuse this one's signal.
    const giveUp = (): void => {
      refusal = givenUp(signal!);
    };
    if (signal?.aborted === true) giveUp();
    line.push({
      next() {
        try {
          if (refusal !== undefined) throw refusal;
          throwIfOver({ deadline });
          const { done, value } = steps.next();
          if (done !== true) return false;
          resolve(value);
        } catch (error) {
          reject(error);
        }
        isOpen = false;
        return true;
      },
    });
    if (!isPaused && line.length === 1) work();
    // Most work is done by now.
    if (!isOpen) return;
    signal?.addEventListener('abort', giveUp);
    watch(
      () => isOpen,
      () => signal?.removeEventListener('abort', giveUp),
    );
  });
}

/** Workers end the timers of a request with it: whoever still waits sees to it that a pause of another's ends. */
function watch(isOpen: () => boolean, end: () => void): void {
  if (!isOpen()) {
    end();
    return;
  }
  const seen = pauses;
  setTimeout(() => {
    // Where timers last, the one that ends the pause came before this.
    if (isOpen() && isPaused && pauses === seen) resume();
    watch(isOpen, end);
  }, 0);
}

function work(): void {
  const began = performance.now();
  while (line.length > 0 && held + performance.now() - began < longestHeld) if (line[0]!.next()) line.shift();
  held += performance.now() - began;
  if (line.length === 0 && held < longestHeld) {
    if (isCounted) return;
    isCounted = true;
    // Others have their turn by themselves: short works of many turns make no long one.
    nextTurn(() => {
      isCounted = false;
      if (!isPaused) held = 0;
    });
    return;
  }
  isPaused = true;
  pauses += 1;
  // Microtasks would go before what waits for its turn.
  setTimeout(resume, 0);
}

function resume(): void {
  isPaused = false;
  // In Workers, the turn that was to do so may have ended with its request.
  isCounted = false;
  held = 0;
  work();
}
