import type { RankRequest, RankResult } from '../ranker/ranker.ts';

/** A call whose requests wait or are being answered. */
export interface WaitingCall {
  readonly requests: readonly RankRequest[];
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
   * At most `count` requests until they cost `cost`, at least one: one of each call in turn, so that a call of many does not
   * hold up the others.
   */
  take(count: number, cost: number): WaitingItem[];
  /** Lets nobody wait for a call that was settled. */
  drop(call: WaitingCall): void;
}

/** An empty line of requests that have costs. */
export function createWaitingLine(costOf: (request: RankRequest) => number): WaitingLine {
  let calls: WaitingCall[] = [];
  let first = 0;
  let size = 0;
  return {
    get size() {
      return size;
    },
    add(call) {
      calls.push(call);
      size += call.requests.length;
    },
    take(count, cost) {
      const items: WaitingItem[] = [];
      let left = cost;
      while (items.length < count && left > 0 && first < calls.length) {
        const call = calls[first]!;
        first += 1;
        if (call.settled) continue;
        items.push({ call, place: call.next });
        left -= costOf(call.requests[call.next]!);
        call.next += 1;
        size -= 1;
        if (call.next < call.requests.length) calls.push(call);
      }
      // What was taken is let go now and then: to shift each would move all the others.
      if (first > 256 || first === calls.length) {
        calls = calls.slice(first);
        first = 0;
      }
      return items;
    },
    drop(call) {
      size -= call.requests.length - call.next;
    },
  };
}
