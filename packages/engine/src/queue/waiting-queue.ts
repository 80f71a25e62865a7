import type { RankRequest, RankResult } from '../ranker/ranker.ts';
import { createSlots } from './slots.ts';

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
  /** Hears no more of its limits. */
  stopWaiting(): void;
}

/** One request of a call. */
export interface WaitingItem {
  readonly call: WaitingCall;
  readonly place: number;
}

/** Calls in the order in which their next request has its turn. */
export interface WaitingQueue {
  /** How many requests wait. */
  readonly size: number;
  add(call: WaitingCall): void;
  /**
   * At most `count` requests until they cost `cost`, at least one. Callers take turns by what they have cost: who asks for much, in
   * one call or in many, holds up others no longer than one of its requests takes.
   */
  take(count: number, cost: number): WaitingItem[];
  /** Lets nobody wait for a call that was settled; once for each. */
  drop(call: WaitingCall): void;
  /** What is taken before a next request of this cost by a caller, in milliseconds of one core. */
  before(caller: unknown, cost: number): number;
}

/** Somebody whose requests wait. */
interface Waiting extends Turn {
  readonly calls: WaitingCall[];
  /** Calls that were not settled before all of their requests were taken. */
  open: number;
  /** What its requests cost that wait. */
  cost: number;
}

/** When a caller has its next turn, in virtual time. */
interface Turn {
  readonly caller: unknown;
  turn: number;
}

/** Callers without a waiting request whose debts are remembered; beyond it the smallest is let off. */
const mostRemembered = 1024;

/**
 * An empty line, by fair queueing: a caller's next turn comes when its last one has been paid for, in a virtual time in which all
 * active callers (those that wait, and those that have not paid yet) are served at once, each by an equal share.
 *
 *     turn = max(now, turn of its last request + cost of that)
 *     now  = max(now + cost of what is taken / active callers, turn of what is taken)
 *
 * Sources: A. Demers, S. Keshav, S. Shenker, "Analysis and simulation of a fair queueing algorithm", 1989; P. Goyal, H. M. Vin, H. Cheng,
 * "Start-time fair queueing", 1996, for turns by the start.
 */
export function createWaitingLine(): WaitingQueue {
  /** Those that wait, and the place of each caller among them. */
  const line = createSlots<Waiting>();
  const places = new Map<unknown, number>();
  const waitingOf = (caller: unknown): Waiting | undefined => line.get(places.get(caller) ?? -1);
  const order: Waiting[] = [];
  // Of those that have nothing waiting and have not paid.
  const debts = new Map<unknown, Turn>();
  const debtOrder: Turn[] = [];
  let [size, now] = [0, 0];

  const forget = (debt: Turn | undefined): void => {
    if (debt !== undefined) debts.delete(debt.caller);
  };
  const leave = ({ caller, turn }: Waiting): void => {
    line.remove(places.get(caller)!);
    places.delete(caller);
    // Anyone who comes next has nobody to wait for.
    if (places.size === 0) {
      debts.clear();
      debtOrder.length = 0;
      now = 0;
    } else if (turn > now) {
      const debt = { caller, turn };
      debts.set(caller, debt);
      insert(debtOrder, debt);
      if (debtOrder.length > mostRemembered) forget(debtOrder.shift());
    }
  };
  const takeFirst = (): WaitingItem | undefined => {
    const waiting = order.shift();
    if (waiting === undefined) return undefined;
    const { calls } = waiting;
    while (calls[0]?.settled === true) calls.shift();
    // A caller without a call that is open is not in the order.
    const call = calls[0]!;
    const item = { call, place: call.next };
    const cost = call.costs[call.next]!;
    now = Math.max(now + cost / (places.size + debts.size), waiting.turn);
    while (debtOrder.length > 0 && debtOrder[0]!.turn <= now) forget(debtOrder.shift());
    waiting.turn += cost;
    waiting.cost -= cost;
    size -= 1;
    call.next += 1;
    if (call.next === call.requests.length) {
      calls.shift();
      waiting.open -= 1;
    }
    if (waiting.open > 0) insert(order, waiting);
    else leave(waiting);
    return item;
  };
  return {
    get size() {
      return size;
    },
    add(call) {
      const { caller, costs } = call;
      let waiting = waitingOf(caller);
      if (waiting === undefined) {
        const debt = debts.get(caller);
        if (debt !== undefined) {
          forget(debt);
          remove(debtOrder, debt);
        }
        waiting = { caller, calls: [], open: 0, cost: 0, turn: Math.max(now, debt?.turn ?? 0) };
        places.set(caller, line.add(waiting));
        insert(order, waiting);
      }
      waiting.calls.push(call);
      waiting.open += 1;
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
      const waiting = waitingOf(caller);
      if (waiting === undefined || next === costs.length) return;
      size -= costs.length - next;
      for (const cost of costs.slice(next)) waiting.cost -= cost;
      waiting.open -= 1;
      if (waiting.open > 0) return;
      remove(order, waiting);
      leave(waiting);
    },
    before(caller, cost) {
      const own = waitingOf(caller)?.cost ?? 0;
      let sum = own;
      for (const each of order) if (each.caller !== caller) sum += Math.min(each.cost, own + cost);
      return sum;
    },
  };
}

/** Behind those of the same turn, so that of these the first that came is the first. */
function insert<T extends Turn>(order: T[], item: T): void {
  order.splice(
    placeOf(order, (turn) => turn <= item.turn),
    0,
    item,
  );
}

function remove<T extends Turn>(order: T[], item: T): void {
  const first = placeOf(order, (turn) => turn < item.turn);
  order.splice(order.indexOf(item, first), 1);
}

/** How many of the first turns are before a place. */
function placeOf(order: readonly Turn[], isBefore: (turn: number) => boolean): number {
  let [low, high] = [0, order.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isBefore(order[middle]!.turn)) low = middle + 1;
    else high = middle;
  }
  return low;
}
