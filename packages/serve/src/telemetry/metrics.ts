import type { IndexState, Ranker, RankerCounters, RankerObserver, RankerRefusal } from '@fuzzqe/engine';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { EpochSource } from '../epochs/epoch-gate.ts';

/** A request that has been answered, or whose client has gone away. */
export interface RequestSample {
  readonly method: string;
  /** The pattern of its path, as `/v1/entities/:id`: never the path itself, of which there are too many. */
  readonly route: string;
  /** 499 where the client went away. */
  readonly status: number;
  readonly seconds: number;
}

/** Why something was refused before it was worked on. */
export const refusalReasons = [
  'in-flight', // more requests than may be under way
  'late', // bytes that waited too long in an overload, or would
  'waiting', // queries that would wait too long, in an overload
  'connections', // more connections than may be open
  'caller', // another name than the server's, or a page of elsewhere
  'key', // no key, or an unknown one
  'rate', // a client's own limit
] as const;
export type RefusalReason = (typeof refusalReasons)[number];

/** A model that is served. */
export interface ServedModelInfo {
  readonly model: string;
  readonly version: string;
  readonly profile: string;
  readonly runtime: string;
}

/** An index that a model asks, without what lets anyone in. */
export interface ServedIndexInfo {
  readonly model: string;
  readonly index: string;
  readonly state: IndexState;
}

/** A ranker, where it counts. */
export type CountedRanker = Pick<Ranker, 'counters'>;

/** What people said of predicted links. */
export interface JudgedLinks {
  readonly accepted: number;
  readonly rejected: number;
  /** The mean of the degrees that the links had before. */
  readonly said: number;
  /** The standard deviation of the accepted share where the degrees are right. */
  readonly spread: number;
}

/** What a scrape asks for when it comes. */
export interface MetricSources {
  readonly connections: () => number;
  readonly inFlight: () => number;
  readonly models: () => readonly ServedModelInfo[];
  /** The models that are opened when they are asked for. Default: all are opened at the start. */
  readonly shelf?: (() => { readonly bytes: number; readonly workers: number }) | undefined;
  /** Default: facts stay as they are. */
  readonly facts?: EpochSource | undefined;
  /** What was judged in the last 28 days. Default: no metric. */
  readonly judged?: (() => JudgedLinks) | undefined;
  /** Default: none asks an index. */
  readonly indexes?: () => readonly ServedIndexInfo[];
}

/** Counts what a server does, in the text format of Prometheus. */
export interface Metrics {
  readonly contentType: string;
  request(sample: RequestSample): void;
  refused(reason: RefusalReason): void;
  /** Begins to ask a ranker for its counts, at every scrape. */
  held(ranker: CountedRanker): void;
  /** Asks it once more, since the next scrape would be too late: what it has counted stays in the totals. */
  left(ranker: CountedRanker): void;
  /** Hears of the batches of rankers, and of what they refuse. */
  readonly observer: RankerObserver;
  /** Hears of models that are opened when they are asked for. */
  readonly models: { opened(seconds: number): void; failed(): void; evicted(): void };
  logDropped(): void;
  text(): Promise<string>;
  close(): void;
}

/** Seconds; from what a small model answers in to the longest deadline. */
const durations = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

const queryRefusalReasons = Object.keys({
  overloaded: true,
  deadline: true,
  interrupted: true,
  failed: true,
} satisfies Record<RankerRefusal, true>) as readonly RankerRefusal[]; // its own keys

/** Metrics of one server; each name begins with `fuzzqe_`, but for those of the process. */
export function createMetrics(sources: MetricSources): Metrics {
  const register = new Registry();
  const registers = [register];
  collectDefaultMetrics({ register });
  const requests = new Counter({
    name: 'fuzzqe_http_requests_total',
    help: 'Requests answered, by route and status; 499 is a client that went away.',
    labelNames: ['method', 'route', 'status'],
    registers,
  });
  const seconds = new Histogram({
    name: 'fuzzqe_http_request_duration_seconds',
    help: 'From the end of the request headers to the end of the response; from its bytes to its refusal, where it was not parsed.',
    labelNames: ['route'],
    buckets: durations,
    registers,
  });
  const refusals = new Counter({
    name: 'fuzzqe_refused_total',
    help: 'Requests and connections refused before any work, by reason.',
    labelNames: ['reason'],
    registers,
  });
  const batchSizes = new Histogram({
    name: 'fuzzqe_batch_size',
    help: 'Queries in one batch.',
    buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256],
    registers,
  });
  const queueSeconds = new Histogram({
    name: 'fuzzqe_queue_seconds',
    help: 'How long a query waited for a worker.',
    buckets: durations,
    registers,
  });
  const computeSeconds = new Histogram({
    name: 'fuzzqe_compute_seconds',
    help: 'How long a batch was computed.',
    buckets: durations,
    registers,
  });
  const queryRefusals = new Counter({
    name: 'fuzzqe_queries_refused_total',
    help: 'Queries that left the queue without an answer, by reason.',
    labelNames: ['reason'],
    registers,
  });
  // Anyone who asks for an increase finds none in a value that was not there before.
  for (const reason of refusalReasons) refusals.inc({ reason }, 0);
  for (const reason of queryRefusalReasons) queryRefusals.inc({ reason }, 0);
  const linesDropped = new Counter({
    name: 'fuzzqe_log_lines_dropped_total',
    help: 'Lines of the log that nobody read in time.',
    registers,
  });
  const gauge = (name: string, help: string, read: () => number): void => {
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read());
      },
    });
  };
  gauge('fuzzqe_http_connections', 'Open connections.', sources.connections);
  gauge('fuzzqe_http_requests_in_flight', 'Requests being answered.', sources.inFlight);
  const { facts, shelf } = sources;
  const openings = new Counter({
    name: 'fuzzqe_model_openings_total',
    help: 'Models that were opened because they were asked for, or in advance, by outcome.',
    labelNames: ['outcome'],
    registers: shelf === undefined ? [] : registers,
  });
  const openSeconds = new Histogram({
    name: 'fuzzqe_model_open_seconds',
    help: 'How long such a model took to open.',
    buckets: durations,
    registers: shelf === undefined ? [] : registers,
  });
  const evictions = new Counter({
    name: 'fuzzqe_model_evictions_total',
    help: 'Models that were closed to make room for others.',
    registers: shelf === undefined ? [] : registers,
  });
  if (shelf !== undefined) {
    for (const outcome of ['opened', 'failed']) openings.inc({ outcome }, 0);
    gauge('fuzzqe_models_open', 'Models that are open.', () => sources.models().length);
    gauge('fuzzqe_models_bytes', 'Bytes that open models are counted with.', () => shelf().bytes);
  }
  if (facts !== undefined)
    gauge('fuzzqe_facts_epoch', 'The epoch of the facts that answers have.', () => facts.epoch);
  if (facts?.store.follows !== undefined)
    gauge(
      'fuzzqe_facts_heard_seconds',
      'Seconds since the server that is followed was last heard.',
      () => facts.store.follows?.heardSeconds ?? 0,
    );
  const { judged } = sources;
  if (judged !== undefined) {
    // One look at the judgements serves all three, which are collected in this order.
    const verdicts = new Gauge({
      name: 'fuzzqe_judgements',
      help: 'Links judged in the last 28 days, by verdict.',
      labelNames: ['verdict'],
      registers,
      collect() {
        const found = judged();
        verdicts.set({ verdict: 'accepted' }, found.accepted);
        verdicts.set({ verdict: 'rejected' }, found.rejected);
        said.set(found.said);
        spread.set(found.spread);
      },
    });
    const said = new Gauge({
      name: 'fuzzqe_judgements_said',
      help: 'Mean degree that those links had before.',
      registers,
    });
    const spread = new Gauge({
      name: 'fuzzqe_judgements_spread',
      help: 'Standard deviation of the accepted share where degrees are right.',
      registers,
    });
  }
  const rankers = new Set<CountedRanker>();
  /** Each adds what a ranker has counted since it was last asked. */
  const totals: ((ranker: CountedRanker) => void)[] = [];
  const sum = (read: (counters: RankerCounters) => number): number =>
    [...rankers].reduce((all, { counters }) => all + (counters === undefined ? 0 : read(counters)), 0);
  gauge('fuzzqe_queue_depth', 'Queries that wait for a worker.', () => sum(({ waiting }) => waiting));
  // Bundles that share a pool share its workers.
  gauge(
    'fuzzqe_workers',
    'Workers that can answer.',
    () => shelf?.().workers ?? sum(({ workers }) => workers),
  );
  const total = (name: string, help: string, read: (counters: RankerCounters) => number): void => {
    const known = new WeakMap<CountedRanker, number>();
    const counter = new Counter({ name, help, registers, collect: () => rankers.forEach(count) });
    const count = (ranker: CountedRanker): void => {
      const { counters } = ranker;
      const before = known.get(ranker) ?? 0;
      // A ranker that closes may count no more what its threads had.
      const now = Math.max(before, counters === undefined ? 0 : read(counters));
      counter.inc(now - before);
      known.set(ranker, now);
    };
    totals.push(count);
  };
  total(
    'fuzzqe_cache_hits_total',
    'Sets of parts of queries taken from the cache.',
    ({ cache }) => cache.hits,
  );
  total('fuzzqe_cache_misses_total', 'Sets of parts of queries computed.', ({ cache }) => cache.misses);
  total('fuzzqe_worker_restarts_total', 'Workers that were replaced.', ({ restarts }) => restarts);
  new Gauge({
    name: 'fuzzqe_model_info',
    help: 'Always 1, for each model that is served.',
    labelNames: ['model', 'version', 'profile', 'runtime'],
    registers,
    collect() {
      this.reset();
      for (const model of sources.models()) this.set({ ...model }, 1);
    },
  });
  new Gauge({
    name: 'fuzzqe_index_ready',
    help: 'Whether the index that a model asks answers and is of its bundle: 1 or 0.',
    labelNames: ['model', 'index'],
    registers,
    collect() {
      this.reset();
      for (const { model, index, state } of sources.indexes?.() ?? [])
        this.set({ model, index }, state === 'ready' ? 1 : 0);
    },
  });
  return {
    contentType: register.contentType,
    request({ method, route, status, seconds: duration }) {
      requests.inc({ method, route, status });
      seconds.observe({ route }, duration);
    },
    refused: (reason) => refusals.inc({ reason }),
    held(ranker) {
      rankers.add(ranker);
    },
    left(ranker) {
      if (rankers.delete(ranker)) for (const count of totals) count(ranker);
    },
    observer: {
      batch(sample) {
        batchSizes.observe(sample.size);
        computeSeconds.observe(sample.computeSeconds);
        for (const waited of sample.queueSeconds) queueSeconds.observe(waited);
      },
      refused: (reason) => queryRefusals.inc({ reason }),
    },
    models: {
      opened(seconds) {
        openings.inc({ outcome: 'opened' });
        openSeconds.observe(seconds);
      },
      failed: () => openings.inc({ outcome: 'failed' }),
      evicted: () => evictions.inc(),
    },
    logDropped: () => linesDropped.inc(),
    text: () => register.metrics(),
    close: () => register.clear(),
  };
}
