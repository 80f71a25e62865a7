import { asEntityId, FuzzError } from '@fuzzqe/core';
import { entity } from '@fuzzqe/core/query';
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  type BatchSample,
  createQueuedRanker,
  type EmbedRequest,
  type Lane,
  type QueueOptions,
  type Ranker,
  type RankRequest,
  type RankResult,
} from '../index.ts';

const request = (id: number): EmbedRequest => ({ task: 'embed', query: entity(asEntityId(id)) });
const idOf = (request: RankRequest): number =>
  'query' in request && request.query.op === 'entity' ? request.query.entity : -1;
const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 25));

/** A ranker that answers a batch, with the ids of its anchors, when it is told to. */
function heldLane() {
  const batches: number[][] = [];
  const held: { finish(): void; fail(error: Error): void }[] = [];
  let die = (): void => {};
  const ended = new Promise<FuzzError>((resolve) => {
    die = () => resolve(new FuzzError('runtime', 'gone'));
  });
  const rank = (requests: readonly RankRequest[]): Promise<RankResult[]> =>
    new Promise((resolve, reject) => {
      batches.push(requests.map(idOf));
      const results = requests.map((each) => ({
        task: 'embed' as const,
        embedding: Float32Array.of(idOf(each)),
      }));
      held.push({ finish: () => resolve(results), fail: reject });
      ended.then(reject);
    });
  // The test asks for embeddings alone.
  const ranker = {
    runtime: 'held',
    plan: 'auto',
    ready: true,
    rank,
    warmUp: turn,
    close: turn,
  } as unknown as Ranker;
  const lane: Lane = { ranker, ended };
  return { lane, batches, held, die: () => die() };
}

async function queueOf(options: Omit<QueueOptions, 'open'> = {}) {
  const held = heldLane();
  const ranker = await createQueuedRanker({ open: async () => held.lane, ...options });
  return { ...held, ranker };
}

const idsOf = async (results: ReturnType<Ranker['rank']>): Promise<number[]> =>
  (await results).map((result) => (result.task === 'embed' ? result.embedding[0]! : -1));

// Where a test fails, the next has the machine's clock and timers.
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

describe('a queue before a ranker', () => {
  it('hands over what waits when the ranker is idle, one request of each call in turn', async () => {
    // A clock of its own: the machine may be busy with other things.
    let time = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => time);
    const { ranker, batches, held } = await queueOf({ batchSize: 3 });
    const samples: BatchSample[] = [];
    const end = ranker.observe({ batch: (sample) => samples.push(sample), refused: () => {} });
    const first = ranker.rank([request(0)]);
    await turn();
    time = 10;
    const many = ranker.rank([1, 2, 3, 4].map(request));
    const one = ranker.rank([request(9)]);
    await turn();
    expect(batches).toEqual([[0]]);
    expect(ranker.counters).toMatchObject({ waiting: 5, running: 1, answered: 0 });
    time = 40;
    held[0]!.finish();
    expect(await idsOf(first)).toEqual([0]);
    await turn();
    expect(batches[1]).toEqual([1, 9, 2]);
    held[1]!.finish();
    expect(await idsOf(one)).toEqual([9]);
    await turn();
    held[2]!.finish();
    expect(await idsOf(many)).toEqual([1, 2, 3, 4]);
    expect(ranker.counters).toMatchObject({ waiting: 0, running: 0, answered: 6, batches: 3, workers: 1 });
    expect(samples.map(({ size, queueSeconds }) => [size, queueSeconds.length])).toEqual([
      [1, 1],
      [3, 3],
      [2, 2],
    ]);
    // The first waited for nothing, those behind it for the first.
    expect(samples[0]).toMatchObject({ queueSeconds: [0], computeSeconds: 0.04 });
    expect(samples[1]!.queueSeconds).toEqual([0.03, 0.03, 0.03]);
    end();
    void ranker.rank([request(0)]);
    await turn();
    held[3]!.finish();
    await turn();
    expect(samples).toHaveLength(3);
  });

  it('ends a batch with the request that brings it to its cost', async () => {
    const { ranker, batches, held } = await queueOf({ batchCost: 10, costOf: (each) => idOf(each) });
    for (const cost of [1, 4, 5, 30, 2]) void ranker.rank([request(cost)]);
    // What costs more than a batch by itself takes turns with the others.
    for (const expected of [[30], [1, 4, 5], [2]]) {
      await turn();
      expect(batches.at(-1)).toEqual(expected);
      held.at(-1)!.finish();
    }
  });

  it('leaves one ranker free of calls that cost more than a batch may', async () => {
    const lanes = [heldLane(), heldLane()];
    let next = 0;
    const open = async (): Promise<Lane> => lanes[next++]!.lane;
    const ranker = await createQueuedRanker({ open, lanes: 2, batchCost: 10, costOf: (each) => idOf(each) });
    for (let i = 0; i < 4; i += 1) void ranker.rank([request(90 + i)]);
    await turn();
    void ranker.rank([request(1)]);
    await turn();
    const taken = () => lanes.flatMap(({ batches }) => batches).flat();
    expect(taken().sort((a, b) => a - b)).toEqual([1, 90]);
    lanes.find(({ batches }) => batches[0]![0] === 1)!.held[0]!.finish();
    await turn();
    expect(taken()).toHaveLength(2);
    lanes.find(({ batches }) => batches[0]![0] === 90)!.held[0]!.finish();
    await turn();
    expect(taken()).toContain(91);
  });

  it('shares what waits among the rankers that are idle, where a share is worth one', async () => {
    for (const [cost, expected] of [
      [6, [[[1, 2]], [[3, 4]]]],
      [0.1, [[[1, 2, 3, 4]], []]],
    ] as const) {
      const lanes = [heldLane(), heldLane()];
      let next = 0;
      const open = async (): Promise<Lane> => lanes[next++]!.lane;
      const ranker = await createQueuedRanker({ open, lanes: 2, costOf: () => cost });
      void ranker.rank([1, 2, 3, 4].map(request));
      await turn();
      expect(lanes.map(({ batches }) => batches)).toEqual(expected);
    }
  });

  it('lets a small batch grow while another ranker is busy, for 2 ms at most', async () => {
    const lanes = [heldLane(), heldLane()];
    let next = 0;
    const ranker = await createQueuedRanker({ open: async () => lanes[next++]!.lane, lanes: 2 });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const immediate = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
    const ask = async (...ids: number[]): Promise<void> => {
      for (const id of ids) void ranker.rank([request(id)]);
      await immediate();
      await immediate();
    };
    const [first, second] = lanes.map(({ batches }) => batches);
    await ask(0);
    await ask(1, 2);
    expect([first, second]).toEqual([[[0]], []]);
    vi.advanceTimersByTime(2);
    expect(second).toEqual([[1, 2]]);
    lanes[1]!.held[0]!.finish();
    await immediate();
    const many = Array.from({ length: 16 }, (_, i) => 10 + i);
    await ask(...many);
    expect(second![1]).toEqual(many);
    await ask(3);
    lanes[0]!.held[0]!.finish();
    lanes[1]!.held[1]!.finish();
    await immediate();
    await immediate();
    // Nobody else is busy.
    expect([first!.length, second!.length]).toContain(2);
    expect([...first!, ...second!]).toContainEqual([3]);
  });

  it.each([
    ['waitingTime', -1],
    ['waitingTime', Number.NaN],
    ['batchSize', 0],
    ['batchSize', 1.5],
    ['waitingLimit', -3],
    ['waitingLimit', Number.NaN],
  ])('refuses %s of %d', async (name, count) => {
    const open = () => Promise.reject(new Error('opened'));
    await expect(createQueuedRanker({ open, [name]: count })).rejects.toMatchObject({
      code: 'usage',
      path: `$.${name}`,
    });
    await expect(createQueuedRanker({ open, waitingLimit: Number.POSITIVE_INFINITY })).rejects.toThrow(
      'opened',
    );
  });

  it('refuses what has no room in the line', async () => {
    const { ranker, held } = await queueOf({ waitingLimit: 2 });
    const taken = ranker.rank([request(0)]);
    await vi.waitFor(() => expect(held).toHaveLength(1));
    const waiting = ranker.rank([request(1), request(2)]);
    const again = ranker.rank([request(3)], { asksAgain: true });
    await expect(again).rejects.toMatchObject({ code: 'overloaded' });
    expect(ranker.counters.refused.overloaded).toBe(0);
    await expect(ranker.rank([request(3)])).rejects.toMatchObject({ code: 'overloaded' });
    expect(ranker.counters.refused.overloaded).toBe(1);
    held[0]!.finish();
    await taken;
    await turn();
    held[1]!.finish();
    expect(await idsOf(waiting)).toEqual([1, 2]);
  });

  it('computes nothing for calls that were given up or are too late', async () => {
    const { ranker, batches, held } = await queueOf();
    const taken = ranker.rank([request(0)]);
    await turn();
    const leave = new AbortController();
    const gone = ranker.rank([request(1), request(2)], { signal: leave.signal });
    const late = ranker.rank([request(3)], { deadline: performance.now() + 1 });
    const stays = ranker.rank([request(4)]);
    const refusals = Promise.allSettled([gone, late]);
    leave.abort();
    expect(await refusals).toMatchObject([
      { status: 'rejected', reason: { code: 'interrupted' } },
      { status: 'rejected', reason: { code: 'deadline' } },
    ]);
    expect(ranker.counters.waiting).toBe(1);
    held[0]!.finish();
    await taken;
    await turn();
    expect(batches).toEqual([[0], [4]]);
    held[1]!.finish();
    await stays;
    expect(ranker.counters.refused).toMatchObject({ interrupted: 1, deadline: 1, failed: 0 });
  });

  it('tries each request of a batch that failed alone, and refuses the one at fault', async () => {
    const { ranker, batches, held } = await queueOf();
    const calls = [1, 2].map((id) => ranker.rank([request(id)]));
    const outcomes = Promise.allSettled(calls);
    await turn();
    held[0]!.fail(new FuzzError('runtime', 'one of them is at fault'));
    await turn();
    held[1]!.finish();
    await turn();
    held[2]!.fail(new FuzzError('runtime', 'this one'));
    await outcomes;
    expect(batches[0]).toEqual([1, 2]);
    expect(batches.slice(1).flat().sort()).toEqual([1, 2]);
    const states = (await outcomes).map(({ status }) => status);
    expect(states.sort()).toEqual(['fulfilled', 'rejected']);
    expect(ranker.counters.refused.failed).toBe(1);
  });

  it('refuses what a ranker held that ended, and replaces it', async () => {
    const lanes = [heldLane(), heldLane()];
    let next = 0;
    const ranker = await createQueuedRanker({ open: async () => lanes[next++]!.lane });
    const lost = ranker.rank([request(1), request(2)]);
    await turn();
    lanes[0]!.die();
    await expect(lost).rejects.toMatchObject({ code: 'runtime', message: 'gone' });
    expect(ranker.ready).toBe(false);
    const later = ranker.rank([request(3)]);
    await expect.poll(() => lanes[1]!.batches).toEqual([[3]]);
    lanes[1]!.held[0]!.finish();
    expect(await idsOf(later)).toEqual([3]);
    expect(ranker.counters).toMatchObject({ workers: 1, restarts: 1 });
    expect(ranker.ready).toBe(true);
  });

  it('tells observers why a ranker ended and could not be replaced, and tries again', async () => {
    const [first, second] = [heldLane(), heldLane()];
    const opening = [first.lane, new FuzzError('runtime', 'no memory'), second.lane];
    const open = async (): Promise<Lane> => {
      const next = opening.shift()!;
      if (next instanceof FuzzError) throw next;
      return next;
    };
    const ranker = await createQueuedRanker({ open });
    const heard: unknown[] = [];
    ranker.observe({
      batch: () => {},
      refused: () => {},
      ended: ({ message }) => heard.push(['ended', message]),
      replaceFailed: (reason) => heard.push(['not replaced', reason]),
    });
    first.die();
    await expect.poll(() => ranker.ready && heard.length > 0, { timeout: 60_000 }).toBe(true);
    expect(heard).toEqual([
      ['ended', 'gone'],
      ['not replaced', expect.objectContaining({ message: 'no memory' })],
    ]);
    expect(ranker.counters).toMatchObject({ workers: 1, restarts: 1 });
    await ranker.close();
  });

  it('does not wait to replace a ranker when it closes', async () => {
    const { ranker, die } = await queueOf();
    const pause = vi.spyOn(globalThis, 'clearTimeout');
    die();
    await turn();
    await ranker.close();
    // The pause before the next try, and nothing else.
    expect(pause).toHaveBeenCalledTimes(1);
  });

  it('shares turns among callers by what they cost, whatever the number of their calls', async () => {
    const { ranker, batches, held } = await queueOf({
      batchSize: 4,
      costOf: (each) => (idOf(each) < 10 ? 5 : 1),
    });
    void ranker.rank([request(99)]);
    await turn();
    for (const id of [1, 2, 3]) void ranker.rank([request(id)], { caller: 'dear' });
    void ranker.rank([11, 12, 13, 14, 15, 16].map(request), { caller: 'cheap' });
    for (let i = 0; i < 2; i++) {
      held[i]!.finish();
      await turn();
    }
    expect(batches.slice(1)).toEqual([
      [1, 11, 12, 13],
      [14, 15, 2, 16],
    ]);
  });

  it('refuses one caller that floods it, whoever else asks for little', async () => {
    let time = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => time);
    const { ranker, held } = await queueOf({ batchSize: 4, waitingTime: 50, costOf: () => 10 });
    const outcomes: Promise<string>[] = [];
    const ask = (caller: string): void => {
      outcomes.push(
        ranker.rank([request(1)], { caller }).then(
          () => `${caller} answered`,
          (error: FuzzError) => `${caller} ${error.code} after ${error.retryAfter} s`,
        ),
      );
    };
    ask('flood');
    await turn();
    for (; time < 3000; time += 20) {
      if ([400, 800, 2000].includes(time)) ask('little');
      ask('flood');
    }
    const { overloaded } = ranker.counters.refused;
    expect(overloaded).toBeGreaterThan(90);
    expect(ranker.refusalOf('flood')).toMatchObject({ retryAfter: 1 });
    expect(ranker.counters.refused.overloaded).toBe(overloaded + 1);
    for (let done = 0; ranker.counters.waiting + ranker.counters.running > 0; ) {
      if (done < held.length) held[done++]!.finish();
      await turn();
    }
    const said = new Set(await Promise.all(outcomes));
    expect([...said].filter((each) => each.startsWith('little'))).toEqual(['little answered']);
    expect([...said].some((each) => each.startsWith('flood overloaded'))).toBe(true);
  });

  it('answers what waits before it closes', async () => {
    const { ranker, held } = await queueOf();
    const taken = ranker.rank([request(0)]);
    await turn();
    const waiting = ranker.rank([request(1)]);
    const closed = ranker.close();
    await expect(ranker.rank([request(2)])).rejects.toMatchObject({ code: 'runtime' });
    held[0]!.finish();
    await taken;
    await turn();
    held[1]!.finish();
    expect(await idsOf(waiting)).toEqual([1]);
    await closed;
  });

  it('refuses what waits where its last ranker ends before or while it closes', async () => {
    const before = await queueOf();
    before.die();
    await turn();
    const waiting = before.ranker.rank([request(1)]);
    await Promise.all([expect(waiting).rejects.toMatchObject({ code: 'runtime' }), before.ranker.close()]);
    const during = await queueOf({ batchSize: 1 });
    const refused = [1, 2].map((id) =>
      expect(during.ranker.rank([request(id)])).rejects.toMatchObject({ code: 'runtime', message: 'gone' }),
    );
    await turn();
    const closed = during.ranker.close();
    during.die();
    await Promise.all([...refused, closed]);
    expect(during.ranker.counters).toMatchObject({ waiting: 0, refused: { failed: 2 } });
  });

  it('takes as many as may wait, and a call of more than that where nobody waits', async () => {
    const { ranker, batches, held } = await queueOf({ waitingLimit: 2 });
    void ranker.rank([request(0)]);
    await turn();
    const waiting = [1, 2].map((id) => ranker.rank([request(id)]));
    await expect(ranker.rank([request(3)])).rejects.toMatchObject({ code: 'overloaded' });
    held[0]!.finish();
    await turn();
    held[1]!.finish();
    expect(await Promise.all(waiting.map(idsOf))).toEqual([[1], [2]]);
    const large = ranker.rank([4, 5, 6].map(request));
    await turn();
    expect(batches.at(-1)).toEqual([4, 5, 6]);
    held[2]!.finish();
    expect(await idsOf(large)).toEqual([4, 5, 6]);
  });

  it('takes turns between dear calls and others where it has one ranker', async () => {
    const { ranker, batches, held } = await queueOf({ batchCost: 10, costOf: (each) => idOf(each) });
    for (const cost of [30, 31, 32, 1]) void ranker.rank([request(cost)]);
    for (let i = 0; i < 3; i += 1) {
      await turn();
      held[i]!.finish();
    }
    expect(batches).toEqual([[30], [1], [31]]);
  });

  it('tries nothing alone that was given up meanwhile', async () => {
    const { ranker, batches, held } = await queueOf();
    const leave = new AbortController();
    const gone = ranker.rank([request(1)], { signal: leave.signal });
    const stays = ranker.rank([request(2)]);
    await turn();
    held[0]!.fail(new FuzzError('runtime', 'one of them is at fault'));
    await turn();
    leave.abort();
    await expect(gone).rejects.toMatchObject({ code: 'interrupted' });
    held[1]!.finish();
    await stays;
    await turn();
    expect(batches).toEqual([[1, 2], [2]]);
  });

  it('hands nothing to a ranker that ended while it was idle, and keeps what it counted', async () => {
    const lanes = [heldLane(), heldLane()].map((held) => {
      const ranker = Object.assign(held.lane.ranker, { cache: { hits: 2, misses: 3 } });
      return { ...held, lane: { ...held.lane, ranker } };
    });
    const opening = lanes.map(({ lane }) => Promise.resolve(lane));
    const never = new Promise<Lane>(() => {});
    const ranker = await createQueuedRanker({ open: () => opening.shift() ?? never, lanes: 2 });
    expect(ranker.counters.cache).toEqual({ hits: 4, misses: 6 });
    lanes[0]!.die();
    await turn();
    // Whoever reads such counts takes one that falls for a new process.
    expect(ranker.counters).toMatchObject({ workers: 1, cache: { hits: 4, misses: 6 } });
    void ranker.rank([request(1)]);
    await expect.poll(() => lanes.map(({ batches }) => batches)).toEqual([[], [[1]]]);
  });

  it('answers a request by itself where it can, counted as others are and held to the same limits', async () => {
    const here = vi.fn((each: RankRequest): RankResult | undefined =>
      idOf(each) < 5 ? { task: 'embed', embedding: Float32Array.of(100 + idOf(each)) } : undefined,
    );
    const { ranker, batches, held } = await queueOf({ answerHere: here });
    const samples: BatchSample[] = [];
    ranker.observe({ batch: (sample) => samples.push(sample), refused: () => {} });
    expect(await idsOf(ranker.rank([request(1)]))).toEqual([101]);
    expect(samples).toMatchObject([{ size: 1, queueSeconds: [0] }]);
    expect(ranker.counters).toMatchObject({ answered: 1, batches: 1, waiting: 0, running: 0 });
    const others = [ranker.rank([request(7)]), ranker.rank([request(1), request(2)])];
    await turn();
    held[0]!.finish();
    await turn();
    held[1]?.finish();
    expect(await Promise.all(others.map(idsOf))).toEqual([[7], [1, 2]]);
    expect(batches.flat()).toEqual([7, 1, 2]);
    await expect(ranker.rank([request(1)], { deadline: 0 })).rejects.toMatchObject({ code: 'deadline' });
    await expect(ranker.rank([request(1)], { signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: 'interrupted',
    });
    await ranker.close();
    await expect(ranker.rank([request(1)])).rejects.toMatchObject({ code: 'runtime' });
    expect(here).toHaveBeenCalledTimes(2);
  });

  it('closes the rankers that it has where another cannot be opened, now or later', async () => {
    const closed = vi.fn(turn);
    const openHeld = (): ReturnType<typeof heldLane> => {
      const held = heldLane();
      Object.assign(held.lane.ranker, { close: closed });
      return held;
    };
    const opening = [Promise.resolve(openHeld().lane), Promise.reject(new Error('no memory'))];
    await expect(createQueuedRanker({ open: () => opening.shift()!, lanes: 2 })).rejects.toThrow('no memory');
    expect(closed).toHaveBeenCalledTimes(1);
    // One that takes the place of another, and is there when nobody wants it any more.
    const first = openHeld();
    let isThere = (_: Lane): void => {};
    const late = new Promise<Lane>((resolve) => {
      isThere = resolve;
    });
    const open = vi.fn(() => late).mockResolvedValueOnce(first.lane);
    const ranker = await createQueuedRanker({ open });
    first.die();
    await expect.poll(() => open.mock.calls.length).toBe(2);
    await ranker.close();
    isThere(openHeld().lane);
    await expect.poll(() => closed.mock.calls.length).toBe(2);
  });

  it('tries every ten seconds to replace a ranker, however long that fails', async () => {
    const first = heldLane();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const open = vi.fn(() => Promise.reject<Lane>(new Error('no memory'))).mockResolvedValueOnce(first.lane);
    const ranker = await createQueuedRanker({ open });
    first.die();
    await vi.advanceTimersByTimeAsync(60_000);
    const before = open.mock.calls.length;
    await vi.advanceTimersByTimeAsync(100_000);
    expect(open.mock.calls.length - before).toBe(10);
    await ranker.close();
  });
});
