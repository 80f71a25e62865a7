/**
 * usage: followers.mjs BUNDLE: a server that takes facts and a server that follows it, behind HAProxy with deploy/haproxy/haproxy.cfg.
 *
 * Changes go through the proxy to the first server, and each answer that asks for the epoch of a change has the change, whichever server
 * gives it. The writer is killed in the middle of changes: afterwards it has each change that was acknowledged, the follower catches up,
 * and no epoch falls. A follower that is stopped is passed over; a follower whose writer is stopped refuses the epoch that it lacks.
 * Of the built command; Node alone.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { ask, endAll, freePorts, start, until } from './processes.mjs';

const [bundle] = process.argv.slice(2);
const root = fileURLToPath(new URL('../../', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'fuzzqe-followers-'));
const expectThat = (holds, what) => {
  if (!holds) throw new Error(what);
};

const serve = async (port, facts) => {
  const flags = ['--port', port, '--workers', '1', '--log-level', 'warn', '--facts', facts];
  const command = [join(root, 'packages/cli/bin/fuzzqe.js'), 'serve', bundle, ...flags];
  const child = start(process.execPath, command, `server ${port}`);
  await until(`server ${port} is ready`, async () => (await ask(port, '/readyz')).status === 200);
  return child;
};

/** Change i adds a fact that no other change has. */
let entities = 0;
const factOf = (i) => ({
  head: `#${i % entities}`,
  relation,
  tail: `#${(7 * i + 3 * Math.floor(i / entities)) % entities}`,
});
let relation = '';
const asked = (i) =>
  JSON.stringify({ query: `project(${JSON.stringify(relation)}, ${factOf(i).head})`, k: 200 });
const tailOf = (i) => Number(factOf(i).tail.slice(1));
const has = ({ text }, i) => {
  const { answers } = JSON.parse(text);
  return answers.some(({ id, state }) => id === tailOf(i) && ['recorded', 'doubted'].includes(state));
};
const change = (port, i) =>
  ask(port, '/v1/facts', JSON.stringify(factOf(i)), { 'idempotency-key': `change-${i}` });

try {
  const [front, first, second] = await freePorts(3);
  let writer = await serve(first, join(folder, 'facts'));
  const follower = await serve(second, `http://127.0.0.1:${first}`);
  const config = readFileSync(join(root, 'deploy/haproxy/haproxy.cfg'), 'utf8')
    .replace('bind :8080', `bind 127.0.0.1:${front}`)
    .replaceAll('127.0.0.1:8081', `127.0.0.1:${first}`)
    .replace('127.0.0.1:8082', `127.0.0.1:${second}`);
  writeFileSync(join(folder, 'haproxy.cfg'), config);
  start('haproxy', ['-db', '-f', join(folder, 'haproxy.cfg')], 'haproxy');
  await until('haproxy is ready', async () => (await ask(front, '/readyz')).status === 200);
  const listed = JSON.parse((await ask(front, '/v1/relations?limit=1')).text);
  entities = JSON.parse((await ask(front, '/v1/entities?limit=1')).text).total;
  relation = `<${listed.results[0].key}>`;

  // Each change is in each answer that asks for its epoch.
  let store;
  let last = 0;
  const read = async (port, i, epoch) => {
    const answer = await ask(port, '/v1/query', asked(i), {
      'fuzzqe-at-least': `${epoch}`,
      'fuzzqe-store': store,
    });
    expectThat(
      answer.status === 200,
      `change ${i} at ${port}: ${answer.status} ${answer.text.slice(0, 300)}`,
    );
    expectThat(has(answer, i), `change ${i} of epoch ${epoch} is missing at ${port}`);
    expectThat(Number(answer.headers['fuzzqe-epoch']) >= epoch, `an epoch below ${epoch} at ${port}`);
  };
  for (let i = 0; i < 60; i += 1) {
    const { status, headers, text } = await change(front, i);
    expectThat(status === 200, `change ${i}: ${status} ${text}`);
    store ??= headers['fuzzqe-store'];
    last = Number(headers['fuzzqe-epoch']);
    // Twice through the proxy, which takes turns, and at each server.
    await Promise.all([front, front, first, second].map((port) => read(port, i, last)));
  }
  expectThat((await change(second, 1000)).status === 421, 'a follower takes changes');

  // The writer is killed in the middle of changes.
  const told = new Map();
  const epochs = new Map();
  let falls = 0;
  let going = true;
  const watching = [first, second].map(async (port) => {
    while (going) {
      const { status, headers } = await ask(port, '/v1/query', asked(0));
      const epoch = Number(headers['fuzzqe-epoch']);
      if (status !== 200) continue;
      if (epoch < (epochs.get(port) ?? 0)) falls += 1;
      epochs.set(port, epoch);
    }
  });
  let next = 60;
  let kills = 0;
  for (; kills < 5; kills += 1) {
    let writes = true;
    const writing = Array.from({ length: 8 }, async () => {
      while (writes) {
        const i = next++;
        const { status, headers } = await change(front, i);
        if (status === 200) told.set(i, Number(headers['fuzzqe-epoch']));
      }
    });
    const enough = told.size + 30;
    await until('changes are taken', () => told.size >= enough);
    writer.kill('SIGKILL');
    await writer.ended;
    writes = false;
    await Promise.all(writing);
    expectThat(
      (await ask(front, '/v1/query', asked(0))).status === 200,
      'no answer while the writer is away',
    );
    writer = await serve(first, join(folder, 'facts'));
  }
  last = Math.max(...told.values());
  await until('the follower catches up', async () => {
    const { headers } = await ask(second, '/v1/query', asked(0));
    return Number(headers['fuzzqe-epoch']) >= last;
  });
  going = false;
  await Promise.all(watching);
  expectThat(falls === 0, `${falls} epochs fell`);
  expectThat(new Set(told.values()).size === told.size, 'an epoch twice');
  for (const [i, epoch] of told) for (const port of [first, second]) await read(port, i, epoch);

  // A follower that does not hear of a change refuses the epoch of the change, and the proxy asks the writer.
  writer.kill('SIGSTOP');
  const late = await ask(second, '/v1/query', asked(0), { 'fuzzqe-at-least': `${last + 50}` });
  expectThat(late.status === 503 && 'retry-after' in late.headers, `a lacking epoch: ${late.status}`);
  expectThat((await ask(second, '/v1/query', asked(0))).status === 200, 'no answer without the epoch');
  writer.kill('SIGCONT');
  await until('the writer is back', async () => (await ask(first, '/readyz')).status === 200);
  follower.kill('SIGSTOP');
  // Until the check of the balancer finds that the follower does not answer.
  await wait(3000);
  const { headers } = await change(first, next);
  for (let i = 0; i < 4; i += 1) await read(front, next, Number(headers['fuzzqe-epoch']));
  follower.kill('SIGCONT');
  await read(second, next, Number(headers['fuzzqe-epoch']));
  process.stdout.write(
    `followers: 60 changes read at their epochs, ${told.size} acknowledged through ${kills} SIGKILLs of the writer and none lost, no epoch fell; a lacking epoch is refused\n`,
  );
} finally {
  await endAll();
  rmSync(folder, { recursive: true, force: true });
}
