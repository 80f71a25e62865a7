import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { createCallerCheck } from '../access/caller-check.ts';
import { settingNames, variableOf } from '../settings/settings-table.ts';
import { createMetrics } from '../telemetry/metrics.ts';

const read = (path: string): string =>
  readFileSync(fileURLToPath(new URL(`../../../../${path}`, import.meta.url)), 'utf8');

/** The metrics that an expression of Prometheus names. */
const metricsIn = (expression: string): string[] =>
  [...expression.matchAll(/\b(?:fuzzqe|process|nodejs)_\w+/g)].map(([name]) => name);

describe('what is there to deploy with', () => {
  let names: ReadonlySet<string>;
  beforeAll(async () => {
    const metrics = createMetrics({
      connections: () => 0,
      inFlight: () => 0,
      models: () => [{ model: 'm', version: '1', profile: 'fp32', runtime: 'r' }],
      indexes: () => [{ model: 'm', index: 'i', state: 'ready' }],
      facts: {
        store: { id: 'store', follows: { state: 'following', heardSeconds: 1 } },
        epoch: 1,
        headers: {},
        until: async () => true,
      },
      shelf: () => ({ bytes: 1, workers: 2 }),
      judged: () => ({ accepted: 1, rejected: 1, said: 0.5, spread: 0.1 }),
    });
    metrics.request({ method: 'GET', route: '/', status: 200, seconds: 1 });
    metrics.observer.batch({ size: 1, computeSeconds: 1, queueSeconds: [1] });
    metrics.observer.refused('deadline');
    metrics.refused('key');
    const text = await metrics.text();
    metrics.close();
    names = new Set([...text.matchAll(/^(\w+)(?=[ {])/gm)].map(([name]) => name));
  });

  it('shows metrics that there are, and each of ours', () => {
    const dashboard = JSON.parse(read('deploy/grafana/dashboards/fuzzqe.json')) as {
      panels: { targets: { expr: string }[] }[];
    }; // as it is written there
    const shown = new Set(
      dashboard.panels.flatMap(({ targets }) => targets.flatMap(({ expr }) => metricsIn(expr))),
    );
    expect([...shown].filter((name) => !names.has(name))).toEqual([]);
    const familyOf = (name: string): string => name.replace(/_(?:bucket|sum|count)$/, '');
    const families = new Set([...shown].map(familyOf));
    const ours = [...names].filter((name) => name.startsWith('fuzzqe_')).map(familyOf);
    expect(ours.filter((name) => !families.has(name))).toEqual([]);
    // Negative control.
    expect(metricsIn('rate(fuzzqe_no_such_total[1m])').filter((name) => !names.has(name))).toHaveLength(1);
  });

  it('alerts by metrics that there are, and as the page says', () => {
    const rules = read('deploy/alerts.yaml');
    expect(metricsIn(rules).filter((name) => !names.has(name))).toEqual([]);
    const alerts = [...rules.matchAll(/- alert: (\w+)/g)].map(([, name]) => name);
    const described = [...read('docs/monitoring.md').matchAll(/^\| `(Fuzzqe\w+)`/gm)].map(([, name]) => name);
    expect(described).toEqual(alerts);
  });

  it('is described with the metrics that there are', () => {
    const described = [...read('docs/monitoring.md').matchAll(/`(fuzzqe_\w+)`/g)].map(([, name]) => name!);
    expect(described.length).toBeGreaterThan(10);
    expect(described.filter((name) => ![...names].some((each) => each.startsWith(name)))).toEqual([]);
  });

  it('sets what can be set', () => {
    const known = settingNames.map(variableOf);
    for (const file of ['Dockerfile', 'deploy/compose.yaml']) {
      const used = [...read(file).matchAll(/FUZZQE_SERVE_\w+/g)].map(([name]) => name);
      expect(used.length, file).toBeGreaterThan(0);
      expect(used.filter((name) => !known.includes(name))).toEqual([]);
    }
  });

  it('is called by its own names alone where a port is published to browsers', () => {
    const [, names] = /^ +FUZZQE_SERVE_ALLOW_HOST: (\S+)$/m.exec(read('deploy/compose.yaml'))!;
    const isPrivate = (): boolean => false;
    const check = createCallerCheck({ allowHost: names!.split(','), cors: undefined, isPrivate });
    for (const host of ['localhost:8080', '127.0.0.1:8080', 'fuzzqe:8080'])
      expect(check({ host }), host).toBeUndefined();
    const foreign = { host: 'evil.example:8080' };
    expect(check(foreign)).toMatchObject({ code: 'forbidden' });
    // Negative control: the server listens for all of the container's network, so that nothing is checked by default.
    expect(createCallerCheck({ allowHost: undefined, cors: undefined, isPrivate })(foreign)).toBeUndefined();
  });

  it('mounts files that there are, where the images read them, and publishes ports to this machine alone', () => {
    const compose = read('deploy/compose.yaml');
    const mounts = [...compose.matchAll(/^ +- \.\/(\S+?):(\S+):ro$/gm)].map(([, from, to]) => [from, to]);
    expect(mounts.map(([, to]) => to)).toEqual([
      '/etc/prometheus/prometheus.yml',
      '/etc/prometheus/alerts.yaml',
      '/etc/grafana/provisioning',
      '/var/lib/grafana/dashboards',
    ]);
    for (const [from] of mounts)
      expect(existsSync(fileURLToPath(new URL(`../../../../deploy/${from}`, import.meta.url)))).toBe(true);
    // Compose reads a path that begins with a dot from the file's own folder, and not from where the command stands.
    expect(compose.split('\n', 1)[0]).toContain(
      'BUNDLE="$PWD/bundles/mine" docker compose -f deploy/compose.yaml up',
    );
    const ports = [...compose.matchAll(/^ +ports: \["(.*)"\]$/gm)].map(([, port]) => port);
    expect(ports).toHaveLength(3);
    for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:(\d+):\1$/);
    const services = [...compose.matchAll(/^ {2}(\w+):$/gm)].map(([, name]) => name);
    const [, scraped] = /targets: \["(\w+):8080"\]/.exec(read('deploy/prometheus.yaml'))!;
    expect(services).toContain(scraped);
    const [, source] = /url: http:\/\/(\w+):9090/.exec(
      read('deploy/grafana/provisioning/datasources/prometheus.yaml'),
    )!;
    expect(services).toContain(source);
  });

  it('has a dashboard whose panels are told apart, lie beside one another and ask the source that is provisioned', () => {
    const { panels, ...dashboard } = JSON.parse(read('deploy/grafana/dashboards/fuzzqe.json')) as {
      uid: string;
      title: string;
      schemaVersion: number;
      panels: {
        id: number;
        type: string;
        title: string;
        datasource: { uid: string };
        gridPos: { x: number; y: number; w: number; h: number };
        targets: { refId: string; expr: string }[];
      }[];
    }; // as it is written there
    expect(dashboard).toMatchObject({
      uid: expect.any(String),
      title: 'FuzzQE',
      schemaVersion: expect.any(Number),
    });
    const [, uid] = /uid: (\w+)/.exec(read('deploy/grafana/provisioning/datasources/prometheus.yaml'))!;
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    const cells = new Set<string>();
    for (const { title, datasource, gridPos, targets } of panels) {
      expect(title).not.toBe('');
      expect(datasource.uid).toBe(uid);
      expect(new Set(targets.map(({ refId }) => refId)).size).toBe(targets.length);
      expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24);
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++)
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
          expect(cells.has(`${x} ${y}`)).toBe(false);
          cells.add(`${x} ${y}`);
        }
    }
  });

  it('builds images of fixed versions, which run as no root and say when they are ready', () => {
    const dockerfile = read('Dockerfile');
    const images = [
      ...dockerfile.matchAll(/^FROM (\S+)/gm),
      ...read('deploy/compose.yaml').matchAll(/^ +image: (\S+)/gm),
    ];
    expect(images.length).toBe(4);
    // Of Node the line with long support: its tag is certainly there, and brings its security fixes.
    for (const [, image] of images) expect(image).toMatch(/:v?\d+\.\d+\.\d+|^node:24-bookworm-slim$/);
    expect(dockerfile.match(/^USER .*/gm)?.at(-1)).toMatch(/^USER [1-9]\d*:/);
    expect(dockerfile).toMatch(/^HEALTHCHECK /m);
    expect(dockerfile).toMatch(/^ENTRYPOINT \["node"/m);
    expect(dockerfile).not.toMatch(/^ADD |:latest/m);
  });
});
