// Load from a thread of its own, so that what measures and what is measured wait for each other as little as may be.
//
// Closed loop: `clients` connections, each asks again as soon as it has its answer. Open loop: `rate` requests a second at
// random moments, whether answers come or not; `milliseconds` count from the moment a request was due, `sinceSent` from when it was
// sent: the one has what this client was late itself.
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { createRandom } from '@fuzzqe/core';
import { openSocket } from './http-socket.mjs';

const mostSockets = 3000;

/** Runs a load and gives what came of it. `seconds` begin after `warmUp` seconds. */
export function runLoad(options) {
  const { promise } = startLoad(options);
  return promise;
}

/** The same, with `stop()`. */
export function startLoad(options) {
  const worker = new Worker(new URL(import.meta.url), { workerData: { warmUp: 1, seed: 1, ...options } });
  const promise = new Promise((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
  });
  return { promise, stop: () => worker.postMessage('stop') };
}

function work({ port, requests, clients, rate, seconds, warmUp, seed }) {
  const random = createRandom('bench load', seed);
  const bytes = requests.map((each) => Buffer.from(each.buffer, each.byteOffset, each.byteLength));
  const start = performance.now();
  const [from, until] = [start + warmUp * 1000, start + (warmUp + seconds) * 1000];
  const result = {
    statuses: {},
    refused: 0,
    lost: 0,
    unanswered: 0,
    unsent: 0,
    milliseconds: [],
    sinceSent: [],
    refusals: [],
  };
  let next = 0;
  let isOver = false;
  const nextRequest = () => bytes[next++ % bytes.length];
  const counted = (due) => due >= from && due <= until;
  const answered = (due, sent, status) => {
    if (!counted(due)) return;
    const now = performance.now();
    result.statuses[status] = (result.statuses[status] ?? 0) + 1;
    if (status === 200) result.sinceSent.push(now - sent);
    (status === 200 ? result.milliseconds : result.refusals).push(now - due);
  };

  /** A connection with at most one request under way; `idle` is told when it may have another, `gone` when it is over. */
  const client = (idle, gone) => {
    let due;
    let sent;
    let opened = false;
    const socket = openSocket(port, {
      onOpen() {
        opened = true;
        idle(self);
      },
      onResponse({ status, closes }) {
        const at = due;
        due = undefined;
        if (at !== undefined) answered(at, sent, status);
        if (!closes) idle(self);
      },
      onEnd() {
        if (!opened) result.refused += 1;
        else if (due !== undefined && !isOver && counted(due)) result.lost += 1;
        due = undefined;
        gone(self);
      },
    });
    const self = {
      ask(at) {
        due = at;
        sent = performance.now();
        socket.send(nextRequest());
      },
      isBusy: () => due !== undefined,
      due: () => due,
      close: socket.close,
    };
    return self;
  };

  const all = new Set();
  const finish = () => {
    if (isOver) return;
    isOver = true;
    for (const each of all) {
      if (each.isBusy() && counted(each.due())) result.unanswered += 1;
      each.close();
    }
    const sorted = Float64Array.from(result.milliseconds).sort();
    const sinceSent = Float64Array.from(result.sinceSent).sort();
    const refusals = Float64Array.from(result.refusals).sort();
    const measured = Math.min(performance.now(), until) - from;
    parentPort.postMessage({
      ...result,
      milliseconds: sorted,
      sinceSent,
      refusals,
      seconds: measured / 1000,
    });
    parentPort.close();
  };
  parentPort.on('message', finish);

  if (rate === undefined) {
    const open = () => {
      if (isOver) return;
      const self = client(
        (each) => performance.now() < until && each.ask(performance.now()),
        (each) => {
          all.delete(each);
          setTimeout(open, 20);
        },
      );
      all.add(self);
    };
    for (let i = 0; i < clients; i += 1) open();
    setTimeout(finish, until - start + 200);
    return;
  }

  // What finds no connection free, and all there may be open, is not sent: a flood does not wait for its answers.
  const free = [];
  // Due, and without a connection yet.
  const opening = new Map();
  const unsent = (at) => {
    if (counted(at)) result.unsent += 1;
  };
  const openFor = (at) => {
    const self = client(
      (each) => {
        const first = opening.get(each);
        opening.delete(each);
        if (first === undefined) free.push(each);
        else each.ask(first);
      },
      (over) => {
        all.delete(over);
        if (opening.has(over)) unsent(opening.get(over));
        opening.delete(over);
        const place = free.indexOf(over);
        if (place >= 0) free.splice(place, 1);
      },
    );
    opening.set(self, at);
    all.add(self);
  };
  let due = start;
  const tick = setInterval(() => {
    const now = performance.now();
    while (due <= now && due <= until) {
      const at = due;
      due += (-Math.log(1 - random.uniform()) * 1000) / rate;
      const each = free.pop();
      if (each !== undefined) each.ask(at);
      else if (all.size < mostSockets) openFor(at);
      else unsent(at);
    }
    if (now > until && (![...all].some((each) => each.isBusy()) || now > until + 5000)) {
      clearInterval(tick);
      for (const at of opening.values()) unsent(at);
      finish();
    }
  }, 1);
}

if (!isMainThread && workerData?.requests !== undefined) work(workerData);

/** The value below which a share of sorted numbers lies. */
export function quantile(sorted, share) {
  return sorted.length === 0
    ? Number.NaN
    : sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
}

/** One line about a load. */
export function describeLoad(load) {
  const { statuses, milliseconds, seconds } = load;
  const good = milliseconds.length;
  const others = Object.entries(statuses)
    .filter(([status]) => status !== '200')
    .map(([status, count]) => `${count} × ${status}`);
  const troubles = ['refused', 'lost', 'unanswered', 'unsent']
    .filter((key) => load[key] > 0)
    .map((key) => `${load[key]} ${key}`);
  return [
    `${(good / seconds).toFixed(0)}/s`,
    `p50 ${quantile(milliseconds, 0.5).toFixed(1)} ms`,
    `p99 ${quantile(milliseconds, 0.99).toFixed(1)} ms`,
    `since sent ${quantile(load.sinceSent, 0.5).toFixed(1)} and ${quantile(load.sinceSent, 0.99).toFixed(1)} ms`,
    ...others,
    ...troubles,
  ].join(', ');
}
