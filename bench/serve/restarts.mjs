// Restarts under load: which requests that a server had taken were never answered?
//
// A request counts as lost where all of it was sent on an open connection and the connection ended without its answer.
// The first request on a connection that was made after the signal counts as refused: the system may have made the connection
// where nobody takes it any more.
import { connect } from 'node:net';
import { openSocket } from './http-socket.mjs';
import { startServe } from './server-process.mjs';

const sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Keep-alive clients in a closed loop until the port is closed. */
function keepAliveClients(port, requests, count) {
  const figures = { answered: 0, lost: 0, refused: 0, statuses: {} };
  let [next, isOver, isEnding] = [0, false, false];
  const open = () => {
    if (isOver) return;
    let [isBusy, opened, isLate] = [false, false, false];
    const ask = () => {
      if (isOver) return;
      isBusy = true;
      socket.send(requests[next++ % requests.length]);
    };
    const socket = openSocket(port, {
      onOpen() {
        opened = true;
        isLate = isEnding;
        ask();
      },
      onResponse({ status, closes }) {
        isBusy = false;
        isLate = false;
        figures.answered += 1;
        figures.statuses[status] = (figures.statuses[status] ?? 0) + 1;
        if (!closes) ask();
        else {
          socket.close();
          open();
        }
      },
      onEnd() {
        if (isBusy && !isLate) figures.lost += 1;
        if (!opened || isLate) figures.refused += 1;
        if (opened) open();
      },
    });
  };
  for (let i = 0; i < count; i += 1) open();
  return {
    figures,
    ending: () => {
      isEnding = true;
    },
    stop: () => {
      isOver = true;
    },
  };
}

/** Connections that say nothing, half a head, or half a body, and wait. */
function halfOpen(port, bytes, count) {
  const cuts = [0, 20, bytes.indexOf('\r\n\r\n') + 10];
  return Array.from({ length: count }, (_, i) => {
    const socket = connect({ port, host: '127.0.0.1' });
    socket.on('error', () => {});
    socket.on('connect', () => socket.write(bytes.subarray(0, cuts[i % cuts.length]) || ''));
    return socket;
  });
}

/** Starts and stops a server `times` times, or until a moment by `performance.now()`: what was lost, and how long ends took. */
export async function restarts(
  bundle,
  requests,
  { times, until = Number.POSITIVE_INFINITY, profile, clients = 32, half = 6, random, more, onEach },
) {
  const sum = { answered: 0, lost: 0, refused: 0 };
  const statuses = {};
  const ends = [];
  const codes = {};
  for (let i = 0; i < times && performance.now() < until; i += 1) {
    const server = await startServe(bundle, { profile, more });
    const open = halfOpen(server.port, requests[0], half);
    const load = keepAliveClients(server.port, requests, clients);
    await sleep(300 + 700 * random.uniform());
    const start = performance.now();
    load.ending();
    const { code, signal } = await server.stop();
    ends.push(performance.now() - start);
    await sleep(50);
    load.stop();
    for (const socket of open) socket.destroy();
    for (const key of Object.keys(sum)) sum[key] += load.figures[key];
    for (const [status, count] of Object.entries(load.figures.statuses))
      statuses[status] = (statuses[status] ?? 0) + count;
    codes[code ?? signal] = (codes[code ?? signal] ?? 0) + 1;
    onEach?.(i, load.figures);
  }
  const sorted = Float64Array.from(ends).sort();
  const line = `${ends.length} restarts: ${sum.lost} lost of ${sum.answered + sum.lost}, ${sum.refused} connections refused; statuses ${JSON.stringify(statuses)}; exit codes ${JSON.stringify(codes)}; ended after ${(sorted[sorted.length >> 1] / 1000).toFixed(2)} s, at most ${(sorted.at(-1) / 1000).toFixed(2)} s`;
  return { line, done: ends.length, lost: sum.lost, codes, statuses };
}
