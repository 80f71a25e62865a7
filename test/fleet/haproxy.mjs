/**
 * usage: haproxy.mjs BUNDLE: two servers of a bundle behind HAProxy with deploy/haproxy/haproxy.cfg. Under load one is killed, comes
 * back, and the other is asked to end: no request may fail, and all answers are the same whoever gave them. Without what the
 * configuration says of retries, requests do fail. Of the built command; Node alone.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ask, endAll, freePorts, start, until } from './processes.mjs';

const [bundle] = process.argv.slice(2);
const root = fileURLToPath(new URL('../../', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'fuzzqe-haproxy-'));
const serve = async (port) => {
  const flags = ['--port', port, '--workers', '1', '--log-level', 'warn', '--max-in-flight', '1024'];
  const command = [
    join(root, 'packages/cli/bin/fuzzqe.js'),
    'serve',
    bundle,
    ...flags,
    '--shutdown-delay',
    '2000',
  ];
  const child = start(process.execPath, command, `server ${port}`);
  await until(`server ${port} is ready`, async () => (await ask(port, '/readyz')).status === 200);
  return child;
};

const bodies = Array.from({ length: 40 }, (_, i) =>
  JSON.stringify({
    query: `and(project(#${i % 6}, #${i}), project(#${(i + 1) % 6}, #${(7 * i) % 40}))`,
    k: 5,
    exclude: 'none',
  }),
);

/** Asks without a pause until `work` is done, and says what became of it. */
async function underLoad(port, expected, work) {
  const seen = { answered: 0, failed: [], other: 0 };
  let going = true;
  const clients = Array.from({ length: 16 }, async (_, client) => {
    for (let i = client; going; i += 1) {
      const { status, text } = await ask(port, '/v1/query', bodies[i % bodies.length]);
      if (status !== 200) seen.failed.push(`${status} ${text.slice(0, 100)}`);
      else if (expected !== undefined && text !== expected[i % bodies.length]) seen.other += 1;
      else seen.answered += 1;
    }
  });
  try {
    await work(async (more) => {
      const enough = seen.answered + more;
      await until(`${more} more answers`, () => seen.answered >= enough || seen.failed.length > 100);
    });
  } finally {
    going = false;
    await Promise.all(clients);
  }
  return seen;
}

const requestsOf = async (port) =>
  [
    ...(await ask(port, '/metrics')).text.matchAll(
      /^fuzzqe_http_requests_total\{[^}]*route="\/v1\/query"[^}]*\} (\d+)/gm,
    ),
  ].reduce((sum, [, count]) => sum + Number(count), 0);

const proxy = async (port, servers, retries) => {
  let config = readFileSync(join(root, 'deploy/haproxy/haproxy.cfg'), 'utf8')
    .replace('bind :8080', `bind 127.0.0.1:${port}`)
    .replaceAll('127.0.0.1:8081', `127.0.0.1:${servers[0]}`)
    .replace('127.0.0.1:8082', `127.0.0.1:${servers[1]}`);
  if (!retries)
    config = config
      .replace(/^ *(?:retries|option redispatch|retry-on) .*\n/gm, '')
      .replace('defaults\n', 'defaults\n    retries 0\n');
  const path = join(folder, `${port}.cfg`);
  writeFileSync(path, config);
  const child = start('haproxy', ['-db', '-f', path], 'haproxy');
  await until('haproxy is ready', async () => (await ask(port, '/readyz')).status === 200);
  return child;
};

try {
  const [front, control, first, second] = await freePorts(4);
  let killed = await serve(first);
  const ended = await serve(second);
  const expected = [];
  for (const body of bodies) {
    const [a, b] = [await ask(first, '/v1/query', body), await ask(second, '/v1/query', body)];
    if (a.status !== 200 || a.text !== b.text)
      throw new Error(`answers of two servers: ${a.text} and ${b.text}`);
    expected.push(a.text);
  }
  await proxy(front, [first, second], true);
  const hidden = await ask(front, '/metrics');
  if (hidden.status !== 404) throw new Error(`/metrics through the proxy: ${hidden.status}`);
  const asked = { first: 0, second: 0 };
  let code;
  const seen = await underLoad(front, expected, async (answers) => {
    await answers(400);
    asked.first = await requestsOf(first);
    killed.kill('SIGKILL');
    await killed.ended;
    await answers(400);
    killed = await serve(first);
    // Two checks until it is asked again.
    const before = await requestsOf(first);
    await until('the server that came back is asked', async () => (await requestsOf(first)) > before + 20);
    asked.second = await requestsOf(second);
    ended.kill('SIGTERM');
    code = await ended.ended;
    await answers(400);
  });
  if (Math.min(asked.first, asked.second) < 50)
    throw new Error(`not both were asked: ${JSON.stringify(asked)}`);
  if (code !== 0) throw new Error(`SIGTERM ended a server with ${code}`);
  if (seen.failed.length > 0 || seen.other > 0)
    throw new Error(
      `${seen.failed.length} failed (${seen.failed.slice(0, 3)}), ${seen.other} other answers of ${seen.answered}`,
    );

  // Negative control: the same death without retries is seen by clients.
  let again = await serve(second);
  await proxy(control, [first, second], false);
  let lost = 0;
  for (let deaths = 0; deaths < 5 && lost === 0; deaths += 1) {
    const without = await underLoad(control, undefined, async (answers) => {
      await answers(200);
      again.kill('SIGKILL');
      await again.ended;
      await answers(50);
    });
    lost += without.failed.length;
    if (lost === 0) again = await serve(second);
  }
  if (lost === 0) throw new Error('no request was lost without retries: the load does not test them');
  process.stdout.write(
    `haproxy: ${seen.answered} requests through one SIGKILL, a return and one SIGTERM, 0 failed, all answers equal; without retries ${lost} failed\n`,
  );
} finally {
  await endAll();
  rmSync(folder, { recursive: true, force: true });
}
