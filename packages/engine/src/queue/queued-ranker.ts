import { FuzzError } from '@fuzzqe/core';
import { checkForms } from '../options/option-forms.ts';
import { type CallLimits, throwIfOver, whenOver } from '../ranker/call-limits.ts';
import type { CacheCounters, RankerObserver, RankerRefusal } from '../ranker/counters.ts';
import type { FactsEpoch } from '../ranker/facts-epoch.ts';
import { createLifetime } from '../ranker/lifetime.ts';
import type { Ranker, RankRequest, RankResult, ResultOf } from '../ranker/ranker.ts';
import { sumOfCaches } from '../ranker/sum-of-caches.ts';
import { createAdmission, overloaded } from './admission.ts';
import { answerAlone } from './answer-alone.ts';
import { nextTurn } from './next-turn.ts';
import { createSlots } from './slots.ts';
import { waitingForms } from './waiting-forms.ts';
import { createWaitingLine, type WaitingCall, type WaitingItem, type WaitingQueue } from './waiting-queue.ts';

/** A ranker that takes one batch at a time. */
export interface Lane {
  readonly ranker: Ranker;
  /** Resolves where it can answer no more, with why. One in this thread does not end by itself. */
  readonly ended?: Promise<FuzzError>;
}

/** How requests wait for rankers. */
export interface QueueOptions {
  /** Opens a ranker: `lanes` of them, and another for each that ends by itself. */
  readonly open: () => Promise<Lane>;
  /** How many batches are answered at the same time. Default 1. */
  readonly lanes?: number;
  /** The most requests of a batch. Default 32. */
  readonly batchSize?: number;
  /** What a request costs, in milliseconds of one core. Default 0. */
  readonly costOf?: (request: RankRequest) => number;
  /** Answers a request in this thread and at once, if that takes less than to hand it to a ranker. Default: no request. */
  readonly answerHere?: (request: RankRequest) => RankResult | undefined;
  /** Hears of the facts that requests are answered by from now on. */
  readonly onFollow?: (facts: FactsEpoch) => void;
  /** A batch ends with the request that brings it to this cost: whatever comes next waits for it. Default 40. */
  readonly batchCost?: number;
  /** The most requests that wait; one more is refused. Default 1024. */
  readonly waitingLimit?: number;
  /**
   * How long requests may wait in an overload that lasts, in milliseconds, by the pace of the last batches; what the next batches
   * can take is never refused. Default 5.
   */
  readonly waitingTime?: number;
}

/** A ranker with a queue before it. */
export type QueuedRanker = Ranker & Required<Pick<Ranker, 'counters' | 'observe' | 'refusalOf'>>;

/**
 * Lets requests of many callers wait for a few rankers, and hands them over in batches.
 *
 * What waits goes when a ranker is idle, shared among those that are where that is worth it; while another ranker is busy, a small
 * batch waits for 2 ms at most to grow. Callers have their turns by what they cost; calls that cost more than a batch may leave one
 * ranker free for the others, or take turns with them where there is only one. A batch is begun in a turn of the event loop of its
 * own. Who may wait: `createAdmission`. Where a batch fails, each of its requests is tried alone, so that only the one at fault is
 * refused.
 *
 * @throws FuzzError of `open`. From `rank`: `overloaded` where the line is full, `deadline`, `interrupted`, and `runtime`.
 */
export async function createQueuedRanker(options: QueueOptions): Promise<QueuedRanker> {
  const { open, lanes: laneCount = 1, batchSize = 32, batchCost = 40, waitingLimit = 1024 } = options;
  const { waitingTime = 5 } = options;
  checkForms(options, waitingForms);
  const costOf = (request: RankRequest): number => Math.max(leastCost, options.costOf?.(request) ?? 0);
  const light = createWaitingLine();
  const heavy = createWaitingLine();
  const admission = createAdmission({ waitingTime });
  const heavyAdmission = createAdmission({ waitingTime });
  const pauses = new Set<() => void>();
  const lineOf = ({ isHeavy }: Pick<WaitingCall, 'isHeavy'>): WaitingQueue => (isHeavy ? heavy : light);
  const admissionOf = ({ isHeavy }: Pick<WaitingCall, 'isHeavy'>) => (isHeavy ? heavyAdmission : admission);
  const waiting = (): number => light.size + heavy.size + alone.length;
  const alone: WaitingItem[] = [];
  const idle: Lane[] = [];
  const lanes = new Set<Lane>();
  const unsettled = createSlots<WaitingCall>();
  const observers = new Set<RankerObserver>();
  /** Of rankers that have ended. */
  let gone: CacheCounters = { hits: 0, misses: 0 };
  const refused = { overloaded: 0, deadline: 0, interrupted: 0, failed: 0 };
  let [running, answered, batches, restarts] = [0, 0, 0, 0];
  let isScheduled = false;
  let gathering: ReturnType<typeof setTimeout> | undefined;
  let heavyLanes = 0;
  let wasHeavy = false;
  const lifetime = createLifetime(async () => {
    await Promise.all([...lanes].map(({ ranker }) => ranker.close()));
  });

  const settle = (call: WaitingCall, end: () => void): void => {
    if (call.settled) return;
    call.settled = true;
    lineOf(call).drop(call);
    call.stopWaiting();
    end();
  };
  const countRefused = (reason: RankerRefusal): void => {
    refused[reason] += 1;
    for (const observer of observers) observer.refused(reason);
  };
  const fail = (call: WaitingCall, reason: unknown, as: RankerRefusal): void =>
    settle(call, () => {
      countRefused(as);
      call.reject(reason);
    });
  /** No ranker is opened any more: what waits for one would wait for ever. */
  const failAllIfNoneLeft = (reason: FuzzError): void => {
    if (lifetime.open || lanes.size > 0) return;
    alone.length = 0;
    for (const call of unsettled.all()) fail(call, reason, 'failed');
  };
  const answer = ({ call, place }: WaitingItem, result: RankResult): void => {
    if (call.settled) return;
    call.results[place] = result;
    call.left -= 1;
    answered += 1;
    if (call.left === 0) settle(call, () => call.resolve(call.results));
  };

  const run = async (lane: Lane, items: readonly WaitingItem[]): Promise<void> => {
    const begun = performance.now();
    const isHeavy = items.some(({ call }) => call.isHeavy);
    running += items.length;
    if (isHeavy) heavyLanes += 1;
    try {
      const results = await lane.ranker.rank(items.map(({ call, place }) => call.requests[place]!));
      items.forEach((item, i) => {
        answer(item, results[i]!);
      });
    } catch (reason) {
      if (items.length > 1 && lanes.has(lane)) alone.push(...items);
      else for (const { call } of items) fail(call, reason, 'failed');
    } finally {
      const sample = {
        size: items.length,
        computeSeconds: (performance.now() - begun) / 1000,
        queueSeconds: items.map(({ call }) => (begun - call.since) / 1000),
      };
      for (const observer of observers) observer.batch(sample);
      admissionOf({ isHeavy }).measured(
        items.length,
        items.reduce((sum, { call, place }) => sum + call.costs[place]!, 0),
        sample.computeSeconds * 1000,
      );
      batches += 1;
      running -= items.length;
      if (isHeavy) heavyLanes -= 1;
      if (lanes.has(lane)) idle.push(lane);
      schedule();
    }
  };
  /** How many of those who wait make a batch that is worth a ranker of its own. */
  const worthwhile = (): number => {
    if (light.size === 0) return 1;
    const cost = light.before(undefined, Number.POSITIVE_INFINITY) / light.size;
    return Math.min(batchSize, leastBatch, Math.ceil(leastBatchCost / cost));
  };
  /** Whether those who wait gain by more of them, while another ranker is about to be free: runs of few requests take up to twice as long for each. */
  const mayGather = (): boolean => {
    const others = lanes.size - idle.length - heavyLanes;
    return others > 0 && heavy.size === 0 && alone.length === 0 && light.size < worthwhile();
  };
  const dispatch = (): void => {
    isScheduled = false;
    if (mayGather()) {
      gathering ??= setTimeout(() => {
        gathering = undefined;
        dispatchAll();
      }, gatheringTime);
      return;
    }
    dispatchAll();
  };
  const dispatchAll = (): void => {
    clearTimeout(gathering);
    gathering = undefined;
    while (idle.length > 0) {
      const items = take();
      if (items.length === 0) return;
      void run(idle.shift()!, items);
    }
  };
  const take = (): WaitingItem[] => {
    for (let single = alone.pop(); single !== undefined; single = alone.pop())
      if (!single.call.settled) return [single];
    // A lane stays free of heavy calls; where there is one alone, they take turns with the others.
    const mayBeHeavy = lanes.size > 1 ? heavyLanes < lanes.size - 1 : light.size === 0 || !wasHeavy;
    wasHeavy = heavy.size > 0 && mayBeHeavy;
    if (wasHeavy) return heavy.take(1, batchCost);
    return light.take(
      Math.min(batchSize, Math.max(worthwhile(), Math.ceil(light.size / idle.length))),
      batchCost,
    );
  };
  const schedule = (): void => {
    if (isScheduled || idle.length === 0 || waiting() === 0) return;
    isScheduled = true;
    nextTurn(dispatch);
  };

  /** The facts that the lanes follow. */
  let followed: FactsEpoch | undefined;

  const openLane = async (): Promise<void> => {
    const lane = await open();
    for (let facts: FactsEpoch | undefined; facts !== followed; ) {
      facts = followed;
      await lane.ranker.follow?.(facts!);
    }
    if (!lifetime.open) {
      await lane.ranker.close();
      return;
    }
    lanes.add(lane);
    idle.push(lane);
    schedule();
    lane.ended?.then((reason) => {
      for (const observer of observers) observer.ended?.(reason);
      lanes.delete(lane);
      gone = sumOfCaches([gone, lane.ranker.cache]);
      const place = idle.indexOf(lane);
      if (place >= 0) idle.splice(place, 1);
      failAllIfNoneLeft(reason);
      if (lifetime.open) void replace(firstPause);
    });
  };
  const replace = async (pause: number): Promise<void> => {
    await new Promise<void>((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        pauses.delete(end);
        resolve();
      };
      const timer = setTimeout(end, pause);
      pauses.add(end);
    });
    if (!lifetime.open) return;
    try {
      await openLane();
      restarts += 1;
    } catch (reason) {
      for (const observer of observers) observer.replaceFailed?.(reason);
      void replace(Math.min(2 * pause, longestPause));
    }
  };

  /** Why a request may not wait; `undefined` where it may. */
  const refusalOf = (
    caller: unknown,
    count: number,
    cost: number,
    isHeavy: boolean,
    asksAgain = false,
  ): FuzzError | undefined => {
    const line = isHeavy ? heavy : light;
    const refuse = (refusal: FuzzError | undefined): FuzzError | undefined => {
      if (refusal !== undefined && !asksAgain) countRefused('overloaded');
      return refusal;
    };
    // A call of more than may wait at all has the line to itself.
    if (waiting() > 0 && waiting() + count > waitingLimit)
      return refuse(overloaded(`${waiting()} queries wait already`, 1));
    const rankers = isHeavy ? lanes.size - 1 : lanes.size - heavyLanes;
    const isShort = line.size < (isHeavy ? 1 : lanes.size * batchSize);
    const costBefore = isShort ? 0 : line.before(caller, cost);
    const costOfAll = isShort ? 0 : line.before(undefined, Number.POSITIVE_INFINITY);
    return refuse(admissionOf({ isHeavy }).refusalOf(costBefore, rankers, asksAgain, costOfAll));
  };
  /** The result of a call of one request that needs no ranker, counted as a batch that waited for nothing. */
  const answeredHere = (asked: readonly RankRequest[]): RankResult[] | undefined => {
    const found = lanes.size > 0 ? answerAlone(options.answerHere, asked) : undefined;
    if (found === undefined) return undefined;
    for (const observer of observers) observer.batch(found.sample);
    answered += 1;
    batches += 1;
    return [found.result];
  };
  const enqueue = <Request extends RankRequest>(
    requests: readonly Request[],
    limits: CallLimits,
  ): Promise<ResultOf<Request>[]> => {
    if (requests.length === 0) return Promise.resolve([]);
    const { caller = Symbol('a call by itself'), asksAgain = false } = limits;
    const costs = requests.map(costOf);
    const isHeavy = costs.some((cost) => cost > batchCost);
    const refusal = refusalOf(caller, requests.length, costs[0]!, isHeavy, asksAgain);
    if (refusal !== undefined) return Promise.reject(refusal);
    const here = answeredHere(requests);
    // The result of this request.
    if (here !== undefined) return Promise.resolve(here as ResultOf<Request>[]);
    return new Promise((resolve, reject) => {
      const stopHearing = whenOver(limits, (error, reason) => fail(call, error, reason));
      const call: WaitingCall = {
        requests,
        costs,
        caller,
        isHeavy,
        since: performance.now(),
        results: new Array(requests.length),
        next: 0,
        left: requests.length,
        settled: false,
        // The results of these requests, each in its place.
        resolve: (results) => resolve(results as ResultOf<Request>[]),
        reject,
        stopWaiting() {
          stopHearing();
          unsettled.remove(place);
        },
      };
      const place = unsettled.add(call);
      lineOf(call).add(call);
      schedule();
    });
  };

  const opened = await Promise.allSettled(Array.from({ length: laneCount }, openLane));
  const broken = opened.find((result) => result.status === 'rejected');
  if (broken !== undefined) {
    await lifetime.close();
    throw broken.reason;
  }
  const [first] = lanes;
  return {
    get runtime() {
      return ([...lanes][0] ?? first!).ranker.runtime;
    },
    plan: first!.ranker.plan,
    get ready() {
      return lifetime.open && lanes.size > 0;
    },
    get counters() {
      return {
        workers: lanes.size,
        restarts,
        waiting: waiting(),
        waitingLimit,
        running,
        answered,
        batches,
        refused,
        cache: sumOfCaches([gone, ...[...lanes].map(({ ranker }) => ranker.cache)]),
      };
    },
    observe(observer) {
      observers.add(observer);
      return () => {
        observers.delete(observer);
      };
    },
    refusalOf: (caller) => refusalOf(caller, 1, admission.typicalCost, false),
    rank: (requests, limits = {}) =>
      lifetime.during(async () => {
        throwIfOver(limits);
        return enqueue(requests, limits);
      }),
    async follow(facts) {
      followed = facts;
      options.onFollow?.(facts);
      const all = [...lanes].map(async (lane) => {
        try {
          await lane.ranker.follow?.(facts);
        } catch (cause) {
          // The lane that replaces one that has ended follows before it takes requests.
          if (lanes.has(lane)) throw cause;
        }
      });
      await Promise.all(all);
    },
    async warmUp(mode) {
      await Promise.all([...lanes].map(({ ranker }) => ranker.warmUp(mode)));
    },
    close() {
      const closed = lifetime.close();
      for (const end of pauses) end();
      failAllIfNoneLeft(
        new FuzzError('runtime', 'the engine was closed while no ranker was there', { passing: true }),
      );
      return closed;
    },
  };
}

/** A batch of so many requests, or that cost so many milliseconds, gains little by more. */
const leastBatch = 16;
const leastBatchCost = 12;
/** Milliseconds that requests wait for others at most, while a ranker is idle and another is not. */
const gatheringTime = 2;
/** Milliseconds before one that has ended is replaced, doubled with every attempt in vain. */
const firstPause = 100;
const longestPause = 10_000;
/** What any request costs, in milliseconds: turns go on with what was taken. */
const leastCost = 0.01;
