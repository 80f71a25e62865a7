// What a server has to bear beside its clients: probes of its health, pipelined requests, one heavy client.
import { formatQuery } from '@fuzzqe/core/query';
import { askOnce, openSocket } from './http-socket.mjs';
import { describeLoad, quantile, runLoad, startLoad } from './load.mjs';
import { postBytes } from './queries.mjs';
import { memoryOf, watchMemory } from './server-process.mjs';

const sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const ms = (value) => (Number.isFinite(value) ? `${value.toFixed(1)} ms` : 'none');

/** Asks for the health on fresh connections, ten times a second. */
export async function probeHealth(port, path, seconds) {
  const bytes = Buffer.from(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  const under = [];
  for (let i = 0; i < seconds * 10; i += 1) {
    under.push(askOnce(port, bytes, 10_000));
    await sleep(100);
  }
  const all = await Promise.all(under);
  const good = all.filter(({ status }) => status === 200).map(({ milliseconds }) => milliseconds);
  const sorted = Float64Array.from(good).sort();
  const within = good.filter((each) => each <= 50).length;
  const line = `${within} of ${all.length} within 50 ms, ${good.length} answered; p50 ${ms(quantile(sorted, 0.5))}, longest ${ms(sorted.at(-1) ?? Number.NaN)}`;
  return { line, asked: all.length, within };
}

/** Probes at 256 busy clients. */
export async function probesUnderLoad({ port, requests, health }, { clients = 256, seconds = 8 } = {}) {
  const load = startLoad({ port, requests, clients, seconds: seconds + 4 });
  await sleep(2000);
  const probes = await probeHealth(port, health, seconds);
  load.stop();
  await load.promise;
  return probes;
}

/** 16 clients before, beside and after `sockets` that each send `each` requests at once. */
export async function pipelining({ port, pid, requests }, { sockets = 40, each = 4000, seconds = 10 } = {}) {
  const quiet = await runLoad({ port, requests, clients: 16, seconds: 5 });
  const memory = memoryOf(pid);
  const watch = watchMemory(pid);
  const many = Buffer.concat(Array.from({ length: each }, (_, i) => requests[i % requests.length]));
  let [answers, ended] = [0, 0];
  const attackers = Array.from({ length: sockets }, () => {
    const socket = openSocket(port, {
      onOpen: () => socket.send(many),
      onResponse: () => {
        answers += 1;
      },
      onEnd: () => {
        ended += 1;
      },
    });
    return socket;
  });
  await sleep(200);
  const beside = await runLoad({ port, requests, clients: 16, seconds, warmUp: 0 });
  const answered = answers;
  for (const socket of attackers) socket.close();
  const start = performance.now();
  const first = await askOnce(port, requests[0], 60_000);
  const most = watch.most();
  watch.stop();
  const lines = [
    `16 clients alone: ${describeLoad(quiet)}`,
    `beside the attack: ${describeLoad(beside)}`,
    `attackers: ${answered} of ${sockets * each} answered in ${seconds} s, ${ended} cut off`,
    `first answer after they left: ${first.status === 200 ? ms(performance.now() - start) : `status ${first.status} after ${ms(performance.now() - start)}`}`,
    `memory: anonymous ${memory.anonymous.toFixed(0)} to ${most.anonymous.toFixed(0)} MB, Pss ${memory.pss.toFixed(0)} to ${most.pss.toFixed(0)} MB`,
  ];
  return {
    lines,
    alone: quantile(quiet.milliseconds, 0.99),
    beside: quantile(beside.milliseconds, 0.99),
    grown: most.anonymous - memory.anonymous,
  };
}

/** A union of as many 3p queries as one body may hold and 1000 answers without those known: what one client may cost. */
export function heavyRequests(drawn, vocabulary) {
  const paths = drawn.filter(({ structure }) => structure === '3p').slice(0, 40);
  const union = (from, to) =>
    `or(${paths
      .slice(from, to)
      .map(({ query }) => formatQuery(query, vocabulary))
      .join(', ')})`;
  return [
    postBytes('/v1/query', { query: union(0, 40), mode: 'sets', k: 1000, exclude: 'known' }),
    postBytes('/v1/query', { query: union(0, 20), mode: 'embedding', k: 1000, exclude: 'known' }),
  ];
}

/** 16 light clients alone, and beside one heavy client on four connections. */
export async function heavyBeside({ port, requests }, heavy, seconds = 8) {
  const alone = await runLoad({ port, requests, clients: 16, seconds });
  const other = startLoad({ port, requests: heavy, clients: 4, seconds: seconds + 2, warmUp: 0 });
  const beside = await runLoad({ port, requests, clients: 16, seconds });
  other.stop();
  const weight = await other.promise;
  const lines = [
    `16 clients alone: ${describeLoad(alone)}`,
    `beside a heavy one: ${describeLoad(beside)}`,
    `the heavy one: ${describeLoad(weight)}`,
  ];
  return {
    lines,
    alone: quantile(alone.milliseconds, 0.99),
    beside: quantile(beside.milliseconds, 0.99),
  };
}
