import type { RankRequest, RankResult } from '../ranker/ranker.ts';

/** A call whose requests wait or are being answered. */
export interface WaitingCall {
  readonly requests: readonly RankRequest[];
  /** What each of them costs, in milliseconds of one core, above 0. */
  readonly costs: readonly number[];
  /** Whose it is: all calls of one caller share its turns. */
  readonly caller: unknown;
  /** Whether one of them costs more than a batch may. */
  readonly isHeavy: boolean;
  /** By `performance.now()`. */
  readonly since: number;
  readonly results: RankResult[];
  /** The first request that has not been taken. */
  next: number;
  /** How many are not answered. */
  left: number;
  /** Whether it was answered, refused or given up. */
  settled: boolean;
  resolve(results: RankResult[]): void;
  reject(reason: unknown): void;
}

/** One request of a call. */
export interface WaitingItem {
  readonly call: WaitingCall;
  readonly place: number;
}

/** Calls in the order in which their next request has its turn. */
export interface WaitingLine {
  /** How many requests wait. */
  readonly size: number;
  add(call: WaitingCall): void;
  /**
   * At most `count` requests until they cost `cost`, at least one. Callers take turns by what they have cost: who asks for much, in
   * one call or in many, holds up others no longer than one of its requests takes.
   */
  take(count: number, cost: number): WaitingItem[];
  /** Lets nobody wait for a call that was settled. */
  drop(call: WaitingCall): void;
  /** What is taken before a next request of this cost by a caller, in milliseconds of one core. */
  before(caller: unknown, cost: number): number;
}

/** Somebody whose requests wait. */
interface Waiting {
  readonly caller: unknown;
  readonly calls: WaitingCall[];
  /** What its requests cost that wait. */
  cost: number;
  /** The virtual time at which its next request has its turn. */
  turn: number;
}

/** Callers without a waiting request whose turns are remembered. */
const mostRemembered = 1024;

/**
 * An empty line, by start-time fair queueing: a caller's next turn comes when its last one has been paid for, in a virtual time that
 * goes on with the turns taken.
 *
 *     turn = max(now, turn of its last request + cost of that)
 *
 * Source: P. Goyal, H. M. Vin, H. Cheng, "Start-time fair queueing", 1996.
 */
export function createWaitingLine(): WaitingLine {
  const callers = new Map<unknown, Waiting>();
  // By their turns; of equal ones the first that came.
  const order: Waiting[] = [];
  // The next turns of those that have nothing waiting.
  const paid = new Map<unknown, number>();
  let [size, now] = [0, 0];

  const insert = (waiting: Waiting): void => {
    let [low, high] = [0, order.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (order[middle]!.turn <= waiting.turn) low = middle + 1;
      else high = middle;
    }
    order.splice(low, 0, waiting);
  };
  const leave = ({ caller, turn }: Waiting): void => {
    callers.delete(caller);
    paid.set(caller, turn);
    if (paid.size > mostRemembered) for (const [each, at] of paid) if (at <= now) paid.delete(each);
    // Whoever comes next has nobody to wait for.
    if (callers.size === 0) {
      paid.clear();
      now = 0;
    }
  };
  const takeFirst = (): WaitingItem | undefined => {
    const waiting = order.shift();
    if (waiting === undefined) return undefined;
    const { calls } = waiting;
    while (calls[0]?.settled === true) calls.shift();
    const [call] = calls;
    if (call === undefined) {
      leave(waiting);
      return takeFirst();
    }
    const item = { call, place: call.next };
    const cost = call.costs[call.next]!;
    now = Math.max(now, waiting.turn);
    waiting.turn += cost;
    waiting.cost -= cost;
    size -= 1;
    call.next += 1;
    if (call.next === call.requests.length) calls.shift();
    if (calls.length > 0) insert(waiting);
    else leave(waiting);
    return item;
  };
  return {
    get size() {
      return size;
    },
    add(call) {
      const { caller, costs } = call;
      let waiting = callers.get(caller);
      if (waiting === undefined) {
        waiting = { caller, calls: [], cost: 0, turn: Math.max(now, paid.get(caller) ?? 0) };
        paid.delete(caller);
        callers.set(caller, waiting);
        insert(waiting);
      }
      waiting.calls.push(call);
      for (const cost of costs) waiting.cost += cost;
      size += costs.length;
    },
    take(count, cost) {
      const items: WaitingItem[] = [];
      for (let left = cost; items.length < count && left > 0; ) {
        const item = takeFirst();
        if (item === undefined) break;
        items.push(item);
        left -= item.call.costs[item.place]!;
      }
      return items;
    },
    drop({ caller, costs, next }) {
      size -= costs.length - next;
      const waiting = callers.get(caller);
      if (waiting !== undefined) for (const cost of costs.slice(next)) waiting.cost -= cost;
    },
    before(caller, cost) {
      const own = callers.get(caller)?.cost ?? 0;
      let sum = own;
      for (const each of callers.values()) if (each.caller !== caller) sum += Math.min(each.cost, own + cost);
      return sum;
    },
  };
}
