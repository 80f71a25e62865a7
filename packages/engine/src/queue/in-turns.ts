import type { FuzzError, Steps } from '@fuzzqe/core';
import { type CallLimits, givenUp, throwIfOver } from '../ranker/call-limits.ts';
import { hearAbort } from '../ranker/hear-abort.ts';
import { nextTurn } from './next-turn.ts';
import { createSlots } from './slots.ts';

/** Milliseconds for which all work together holds the event loop before others have their turn. */
const longestHeld = 4;

/** How work is done in turns. */
export interface TurnOptions extends CallLimits {
  /** Whether it holds memory by the number of names until it ends: a few of these are begun at once. Default false. */
  readonly isLarge?: boolean;
}

interface Work {
  /** Does a piece; true when there is no other, undefined where it may not begin yet. */
  next(): boolean | undefined;
}

/** The large works that are begun: at most four. */
const large = new Set<unknown>();

/** Works that wait, of each caller, and whose they are: callers have their turns one after the other, a piece at a time. */
const waiting = createSlots<Work[]>();
const line = new Map<unknown, number>();
/** Milliseconds since others had their turn. */
let held = 0;
/** Whether the next turn of the event loop is to end that time. */
let isCounted = false;
let isPaused = false;
/** How often the line has paused. */
let pauses = 0;

/**
 * Does work of this thread that may be long in pieces: at most a few milliseconds of all of it in a turn of the event loop, which
 * others' requests and health have between them. Callers have a piece each in turns, and one caller's works come one after the other:
 * anyone who has much to do holds up others by a piece. Of large works four are begun, and others wait
 * until one of these ends.
 *
 * @throws FuzzError `interrupted`, `deadline`: the limits. What the work throws.
 */
export function inTurns<T>(
  steps: Steps<T>,
  { signal, deadline, caller = Symbol('a work by itself'), isLarge = false }: TurnOptions = {},
): Promise<T> {
  return new Promise((resolve, reject) => {
    let isOpen = true;
    let refusal: FuzzError | undefined;
    // Pieces may be done by another request's timer, which Workers refuse this one's signal.
    const giveUp = (): void => {
      refusal = givenUp(signal!);
    };
    if (signal?.aborted === true) giveUp();
    const isFirst = line.size === 0;
    let place = line.get(caller);
    if (place === undefined) {
      place = waiting.add([]);
      line.set(caller, place);
    }
    const works = waiting.get(place)!;
    works.push({
      next() {
        try {
          if (refusal !== undefined) throw refusal;
          throwIfOver({ deadline });
          if (isLarge && large.add(steps).size > 4) {
            large.delete(steps);
            return undefined;
          }
          const { done, value } = steps.next();
          if (done !== true) return false;
          resolve(value);
        } catch (error) {
          reject(error);
        }
        isOpen = false;
        large.delete(steps);
        return true;
      },
    });
    if (!isPaused && isFirst) work();
    // Most work is done by now.
    if (!isOpen) return;
    const stopHearing = signal && hearAbort(signal, giveUp);
    watch(
      () => isOpen,
      () => stopHearing?.(),
    );
  });
}

/** Workers end the timers of a request with it: anyone who still waits sees to it that a pause of another's ends. */
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
  while (line.size > 0 && held + performance.now() - began < longestHeld) takeTurn();
  held += performance.now() - began;
  if (line.size === 0 && held < longestHeld) {
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

/** Does a piece for the first caller whose work may go on, who then is the last. */
function takeTurn(): void {
  for (const [caller, place] of line) {
    const works = waiting.get(place)!;
    const isDone = works[0]!.next();
    if (isDone === undefined) continue;
    if (isDone) works.shift();
    line.delete(caller);
    if (works.length > 0) line.set(caller, place);
    else waiting.remove(place);
    return;
  }
}

function resume(): void {
  isPaused = false;
  // In Workers, the turn that was to do so may have ended with its request.
  isCounted = false;
  held = 0;
  work();
}
