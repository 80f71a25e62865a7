import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createLog } from '../operations/log.ts';
import { createMetrics, type MetricCounts } from '../operations/metrics.ts';
import type { FromProcess, ToProcess } from './process-messages.ts';
import { type ProcessEnd, type Processes, startProcesses } from './start-processes.ts';

/** A process that only notes what it is told. */
class NotedProcess {
  readonly told: ToProcess[] = [];
  isKilled = false;
  tell = (_message: unknown): void => {};
  end = (_end: ProcessEnd): void => {};
  readonly pid: number;
  readonly isFirst: boolean;
  constructor(pid: number, isFirst: boolean) {
    this.pid = pid;
    this.isFirst = isFirst;
  }
  send(message: ToProcess): void {
    this.told.push(message);
  }
  onMessage(hear: (message: unknown) => void): void {
    this.tell = hear;
  }
  onEnd(hear: (end: ProcessEnd) => void): void {
    this.end = hear;
  }
  kill(): void {
    this.isKilled = true;
  }
  say(message: FromProcess): void {
    this.tell(message);
  }
  kinds(): string[] {
    return this.told.map(({ fuzzqe }) => fuzzqe);
  }
}

const stopped: ProcessEnd = { code: 0, signal: null };
const crashed: ProcessEnd = { code: null, signal: 'SIGKILL' };
let all: NotedProcess[] = [];
let lines: Record<string, unknown>[] = [];

function begin(count: number): Processes {
  all = [];
  lines = [];
  return startProcesses({
    count,
    start(isFirst) {
      const one = new NotedProcess(100 + all.length, isFirst);
      all.push(one);
      return one;
    },
    log: createLog({ write: (line) => lines.push(JSON.parse(line)) }),
  });
}

/** Lets promises that are settled be heard. */
const settle = (): Promise<void> => vi.advanceTimersByTimeAsync(0).then(() => undefined);

async function serving(count: number): Promise<Processes> {
  const processes = begin(count);
  all[0]!.say({ fuzzqe: 'opened' });
  await settle();
  for (const one of all.slice(1)) one.say({ fuzzqe: 'opened' });
  await processes.opened;
  return processes;
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('several processes', () => {
  it('begin with one, which says what is wrong, and serve when all do', async () => {
    const processes = begin(3);
    let isOpen = false;
    void processes.opened.then(() => {
      isOpen = true;
    });
    await settle();
    expect(all.map(({ isFirst }) => isFirst)).toEqual([true]);
    all[0]!.say({ fuzzqe: 'opened' });
    await settle();
    expect(all.map(({ isFirst }) => isFirst)).toEqual([true, false, false]);
    all[2]!.say({ fuzzqe: 'opened' });
    await settle();
    expect(isOpen).toBe(false);
    all[1]!.say({ fuzzqe: 'opened' });
    await settle();
    expect(isOpen).toBe(true);
  });

  it('are none where the first cannot begin, whose end is told', async () => {
    const processes = begin(3);
    const opened = expect(processes.opened).rejects.toMatchObject({ code: 'runtime', end: { code: 6 } });
    all[0]!.end({ code: 6, signal: null });
    await opened;
    await processes.close();
    expect(all).toHaveLength(1);
    expect(lines).toEqual([]);
  });

  it('all end where another cannot begin', async () => {
    const processes = begin(3);
    all[0]!.say({ fuzzqe: 'opened' });
    await settle();
    const opened = expect(processes.opened).rejects.toThrow('ended by SIGKILL before it served');
    all[1]!.end(crashed);
    await settle();
    expect([all[0]!.kinds(), all[2]!.kinds()]).toEqual([['stop'], ['stop']]);
    all[0]!.end(stopped);
    all[2]!.end(stopped);
    await opened;
    await vi.advanceTimersByTimeAsync(60_000);
    expect(all).toHaveLength(3);
  });

  it('replace the one that ends, after pauses that grow while that is in vain', async () => {
    await serving(2);
    all[1]!.end(crashed);
    expect(lines).toMatchObject([{ level: 'error', process: 101, signal: 'SIGKILL' }]);
    await vi.advanceTimersByTimeAsync(99);
    expect(all).toHaveLength(2);
    await vi.advanceTimersByTimeAsync(1);
    expect(all).toHaveLength(3);
    all[2]!.end({ code: 6, signal: null });
    await vi.advanceTimersByTimeAsync(199);
    expect(all).toHaveLength(3);
    await vi.advanceTimersByTimeAsync(1);
    expect(all).toHaveLength(4);
    all[3]!.say({ fuzzqe: 'opened' });
    await settle();
    expect(lines.map(({ level }) => level)).toEqual(['error', 'error', 'info']);
    // The next one that ends is replaced as soon as the first was.
    all[3]!.end(crashed);
    await vi.advanceTimersByTimeAsync(100);
    expect(all.map(({ isFirst }) => isFirst)).toEqual([true, false, false, false, false]);
  });

  it('are asked to end, and none takes the place of those that do', async () => {
    const processes = await serving(2);
    all[0]!.end(crashed);
    let isClosed = false;
    const closed = processes.close().then(() => {
      isClosed = true;
    });
    expect(all[1]!.kinds()).toEqual(['stop']);
    await vi.advanceTimersByTimeAsync(60_000);
    expect([all.length, isClosed]).toEqual([2, false]);
    all[1]!.end(stopped);
    await closed;
    expect(all).toHaveLength(2);
  });

  it('end where they were to before they had begun', async () => {
    const processes = begin(2);
    const opened = expect(processes.opened).rejects.toMatchObject({ end: stopped });
    const closed = processes.close();
    expect(all[0]!.kinds()).toEqual(['stop']);
    all[0]!.end(stopped);
    await Promise.all([opened, closed]);
    expect(all).toHaveLength(1);
  });

  it('are all told to read again what they were made of, and all killed at once', async () => {
    const processes = await serving(2);
    await processes.reload();
    expect(all.map((one) => one.kinds())).toEqual([['reload'], ['reload']]);
    processes.kill();
    expect(all.map(({ isKilled }) => isKilled)).toEqual([true, true]);
    for (const one of all) one.end(crashed);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(all).toHaveLength(2);
  });
});

describe('what several processes count', () => {
  let gathered: readonly MetricCounts[] = [];
  /** The metrics of a process that has answered so many requests, and what it tells of them. */
  const counting = async (requests: number) => {
    let tell = async (): Promise<MetricCounts> => [];
    const metrics = createMetrics({
      connections: () => requests,
      inFlight: () => 0,
      models: () => [{ model: 'm', version: '1', profile: 'fp32', runtime: 'r' }],
      shareCounts(own) {
        tell = own;
        return async () => gathered;
      },
    });
    for (let i = 0; i < requests; i += 1)
      metrics.request({ method: 'GET', route: '/a', status: 200, seconds: 0.002 });
    return { metrics, counts: await tell() };
  };
  /** What the first learns when it asks, where those in their places answer. */
  const gather = async (
    answers: Readonly<Record<number, MetricCounts>>,
  ): Promise<readonly MetricCounts[]> => {
    all[0]!.say({ fuzzqe: 'gather', id: 5 });
    for (const [place, counts] of Object.entries(answers)) {
      const asked = all[Number(place)]!.told.findLast((message) => message.fuzzqe === 'count');
      all[Number(place)]!.say({ fuzzqe: 'counts', id: asked?.id ?? Number.NaN, counts });
    }
    await vi.advanceTimersByTimeAsync(2000);
    const told = all[0]!.told.findLast((message) => message.fuzzqe === 'counted');
    expect(told?.id).toBe(5);
    return told?.all ?? [];
  };
  const requests = 'fuzzqe_http_requests_total{method="GET",route="/a",status="200"}';
  const samplesOf = (text: string): Map<string, number> =>
    new Map(text.split('\n').map((line) => [line.replace(/ [^ ]*$/, ''), Number(/[^ ]*$/.exec(line))]));

  it('is told together by any of them, and one that has ended is still counted for what it did', async () => {
    await serving(2);
    const [one, two] = [await counting(3), await counting(4)];
    gathered = await gather({ 0: one.counts, 1: two.counts });
    const before = samplesOf(await one.metrics.text());
    expect(before.get(requests)).toBe(7);
    expect(before.get('fuzzqe_http_request_duration_seconds_count{route="/a"}')).toBe(7);
    expect(before.get('fuzzqe_http_request_duration_seconds_bucket{le="0.0025",route="/a"}')).toBe(7);
    expect(before.get('fuzzqe_http_connections')).toBe(7);
    expect(before.get('fuzzqe_model_info{model="m",version="1",profile="fp32",runtime="r"}')).toBe(1);

    all[1]!.end(crashed);
    gathered = await gather({ 0: one.counts });
    const after = samplesOf(await one.metrics.text());
    expect(after.get(requests)).toBe(7);
    expect(after.get('fuzzqe_http_connections')).toBe(3);
  });

  it('is, of one that is held up, what it had told before: counts do not go back', async () => {
    await serving(2);
    const [one, two] = [await counting(1), await counting(2)];
    await gather({ 0: one.counts, 1: two.counts });
    gathered = await gather({ 0: one.counts });
    expect(samplesOf(await one.metrics.text()).get(requests)).toBe(3);
  });
});
