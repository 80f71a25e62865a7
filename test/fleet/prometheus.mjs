/**
 * usage: prometheus.mjs BUNDLE PROMETHEUS: a running server, scraped by Prometheus with deploy/prometheus.yaml and deploy/alerts.yaml.
 *
 * Prometheus takes the server's metrics and evaluates every alert. Each panel of Grafana's dashboard gets values of this server, except for
 * metrics of followers, indexes and several bundles. An ended server is seen as away. Of the built command; Node alone.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ask, endAll, freePorts, start, until } from './processes.mjs';

const [bundle, program] = process.argv.slice(2);
const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (path) => readFileSync(join(root, path), 'utf8');
const folder = mkdtempSync(join(tmpdir(), 'fuzzqe-prometheus-'));
const expectThat = (holds, what) => {
  if (!holds) throw new Error(what);
};

/** What only a follower, a server with an index, and a server of several bundles have. */
const elsewhere =
  /fuzzqe_(facts_heard_seconds|index_ready|models_(open|bytes)|model_(openings_total|evictions_total|open_seconds))/;

try {
  const [port, front] = await freePorts(2);
  const server = start(
    process.execPath,
    [
      join(root, 'packages/cli/bin/fuzzqe.js'),
      ...['serve', bundle, '--port', port, '--workers', '1', '--log-level', 'warn'],
      ...['--facts', join(folder, 'facts')],
    ],
    'server',
  );
  await until('the server is ready', async () => (await ask(port, '/readyz')).status === 200);

  writeFileSync(join(folder, 'alerts.yaml'), read('deploy/alerts.yaml'));
  const config = read('deploy/prometheus.yaml')
    .replace('scrape_interval: 10s', 'scrape_interval: 1s\n  evaluation_interval: 1s')
    .replace('fuzzqe:8080', `127.0.0.1:${port}`);
  writeFileSync(join(folder, 'prometheus.yml'), config);
  start(
    program,
    [
      `--config.file=${folder}/prometheus.yml`,
      `--storage.tsdb.path=${folder}/series`,
      `--web.listen-address=127.0.0.1:${front}`,
    ],
    'Prometheus',
  );
  const get = async (path) => {
    const { status, text } = await ask(front, path);
    if (status === 0 || status === 503) return { status: 'starting', data: {} };
    return JSON.parse(text);
  };
  const valuesOf = async (expr) => {
    const { status, error, data } = await get(`/api/v1/query?query=${encodeURIComponent(expr)}`);
    if (status === 'starting') return [];
    expectThat(status === 'success', `${expr}: ${error}`);
    return data.result;
  };
  const isUp = async (value) => (await valuesOf('up{job="fuzzqe"}'))[0]?.value[1] === value;
  await until('Prometheus has asked the server', () => isUp('1'));

  // Rates need two scrapes with queries between them.
  const query = JSON.stringify({ query: 'and(project(#0, #1), project(#1, #2))' });
  const { panels } = JSON.parse(read('deploy/grafana/dashboards/fuzzqe.json'));
  const shown = panels.flatMap(({ title, targets }) => targets.map(({ expr }) => ({ title, expr })));
  const expected = shown.filter(({ expr }) => !elsewhere.test(expr));
  expectThat(
    expected.length > 15 && expected.length < shown.length,
    `${expected.length} of ${shown.length} panels`,
  );
  for (const { title, expr } of expected)
    await until(`the panel "${title}" has values: ${expr}`, async () => {
      await ask(port, '/v1/query', query);
      // Refusals: a name that is not served, and a query that is over its time.
      await ask(port, '/v1/query', query, { host: 'evil.example' });
      await ask(port, '/v1/query', query, { 'x-timeout-ms': '1' });
      return (await valuesOf(expr)).length > 0;
    });
  // Prometheus takes the expressions of the other panels, without values.
  for (const { expr } of shown.filter((each) => !expected.includes(each)))
    expectThat((await valuesOf(expr)).length === 0, `${expr} has values`);

  let rules = [];
  await until('every alert is evaluated', async () => {
    ({ rules } = (await get('/api/v1/rules')).data.groups[0]);
    return rules.every(({ health }) => health !== 'unknown');
  });
  for (const { name, health, lastError } of rules)
    expectThat(health === 'ok', `${name}: ${health} ${lastError}`);
  expectThat(rules.length >= 7, `${rules.length} alerts`);
  const stateOf = (name) => rules.find((rule) => rule.name === name).state;
  expectThat(stateOf('FuzzqeAway') === 'inactive', 'a server that is there is away');

  // Negative control.
  server.kill('SIGTERM');
  expectThat((await server.ended) === 0, 'SIGTERM ended the server with another code');
  await until('Prometheus misses the server', () => isUp('0'));
  await until('an alert says so', async () => {
    ({ rules } = (await get('/api/v1/rules')).data.groups[0]);
    return stateOf('FuzzqeAway') === 'pending';
  });
  process.stdout.write(
    `prometheus: ${expected.length} expressions of panels with values, ${rules.length} alerts evaluated, an ended server seen as away\n`,
  );
} finally {
  await endAll();
  rmSync(folder, { recursive: true, force: true });
}
