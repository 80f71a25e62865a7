import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { createApp, createModelRegistry } from '@fuzzqe/api';
import { beforeAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { healthPaths, urgentPaths } from '../access/health-paths.ts';
import { inferenceProtocolPart } from '../index.ts';
import { readSettings } from '../settings/read-settings.ts';
import { flagOf, type Settings, settingNames } from '../settings/settings-table.ts';
import { createMetrics } from '../telemetry/metrics.ts';

const { version } = createRequire(import.meta.url)('../../package.json') as { version: string }; // npm requires it
const root = new URL('../../../../', import.meta.url);

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string | number };
}
interface Container {
  readonly image: string;
  readonly args: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value?: string }[];
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
  readonly securityContext: Readonly<Record<string, unknown>>;
  readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string }[];
  readonly startupProbe?: Probe;
  readonly readinessProbe: Probe;
  readonly livenessProbe: Probe;
}
// biome-ignore lint/suspicious/noExplicitAny: manifests have a shape each, which kubeconform holds to their schemas
type Manifest = any;

const manifests = (folder: string): Manifest[] =>
  readdirSync(new URL(folder, root)).flatMap((file) =>
    parseAllDocuments(readFileSync(new URL(`${folder}${file}`, root), 'utf8'), { merge: true }).map(
      (document) => document.toJS(),
    ),
  );

const ofKind = (all: readonly Manifest[], kind: string): Manifest => {
  const found = all.filter((each) => each.kind === kind);
  expect(found, kind).toHaveLength(1);
  return found[0];
};

/** The settings of a container, by the reader of `fuzzqe serve`. */
const settingsOf = (variables: Readonly<Record<string, string>>): Promise<Settings> =>
  readSettings({ flags: {}, environment: variables });

const variablesOf = ({ env = [] }: Container): Record<string, string> =>
  Object.fromEntries(env.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value]])));

/** Throws where a manifest gives a flag that there is not. */
function checkArguments({ args }: Pick<Container, 'args'>): void {
  const [command, ...others] = args;
  expect(command).toBe('serve');
  const flags = others.filter((each) => each.startsWith('--')).map((each) => each.split('=')[0]!);
  const known = [...settingNames.map(flagOf), '--config'];
  expect(flags.filter((flag) => !known.includes(flag))).toEqual([]);
}

function checkContainer(container: Container): void {
  checkArguments(container);
  expect(container.image).toBe(`ghcr.io/fuzzqe/fuzzqe:${version}`);
  expect(container.securityContext).toMatchObject({
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  });
}

describe('the manifests for Kubernetes', () => {
  const all = manifests('deploy/kubernetes/');
  const deployment = ofKind(all, 'Deployment');
  const pod = deployment.spec.template.spec;
  const container: Container = pod.containers[0];
  let settings: Settings;
  beforeAll(async () => {
    settings = await settingsOf({ ...ofKind(all, 'ConfigMap').data, ...variablesOf(container) });
  });

  it('set what can be set, on the port that is probed and published', () => {
    checkContainer(container);
    const [port] = container.ports;
    expect([settings.host, port!.containerPort]).toEqual(['0.0.0.0', settings.port]);
    expect(ofKind(all, 'Service').spec.ports[0].targetPort).toBe(port!.name);
    expect(deployment.spec.template.metadata.annotations).toMatchObject({
      'prometheus.io/port': `${settings.port}`,
      'prometheus.io/path': '/metrics',
    });
    for (const probe of [container.startupProbe!, container.readinessProbe, container.livenessProbe]) {
      expect(healthPaths).toContain(probe.httpGet.path);
      expect(probe.httpGet.port).toBe(port!.name);
    }
    expect(container.livenessProbe.httpGet.path).toBe('/livez');
    expect(container.readinessProbe.httpGet.path).toBe('/readyz');
    expect(String(settings.workers)).toBe(pod.containers[0].resources.requests.cpu);
  });

  it('mount what is read, and leave the time that an end takes', () => {
    const mounts = container.volumeMounts!;
    expect(mounts.map(({ name }) => name).sort()).toEqual(
      pod.volumes.map(({ name }: { name: string }) => name).sort(),
    );
    const places = mounts.map(({ mountPath }) => mountPath);
    expect(places).toContain(container.args[1]);
    expect(places.some((place) => settings.keys!.startsWith(`${place}/`))).toBe(true);
    const { shutdownDelay, closeNotice, drainTimeout } = settings;
    expect(pod.terminationGracePeriodSeconds * 1000).toBeGreaterThan(
      shutdownDelay + closeNotice + drainTimeout,
    );
    const dockerfile = readFileSync(fileURLToPath(new URL('Dockerfile', root)), 'utf8');
    const [, user, group] = /^USER (\d+):(\d+)$/m.exec(dockerfile)!;
    expect(pod.securityContext).toMatchObject({
      runAsNonRoot: true,
      runAsUser: Number(user),
      runAsGroup: Number(group),
      seccompProfile: { type: 'RuntimeDefault' },
    });
  });

  it('select the same pods, scale by a metric that there is, and hold no secret', async () => {
    const { labels } = deployment.spec.template.metadata;
    for (const selector of [
      deployment.spec.selector.matchLabels,
      ofKind(all, 'Service').spec.selector,
      ofKind(all, 'PodDisruptionBudget').spec.selector.matchLabels,
      ...pod.topologySpreadConstraints.map((each: Manifest) => each.labelSelector.matchLabels),
    ])
      expect(selector).toEqual(labels);
    const autoscaler = ofKind(all, 'HorizontalPodAutoscaler').spec;
    expect(autoscaler.scaleTargetRef).toEqual({
      apiVersion: deployment.apiVersion,
      kind: 'Deployment',
      name: deployment.metadata.name,
    });
    expect(deployment.spec.replicas).toBeUndefined();
    expect(autoscaler.minReplicas).toBeGreaterThan(ofKind(all, 'PodDisruptionBudget').spec.maxUnavailable);
    const metrics = createMetrics({
      connections: () => 0,
      inFlight: () => 0,
      models: () => [],
    });
    const names = new Set([...(await metrics.text()).matchAll(/^(\w+)(?=[ {])/gm)].map(([name]) => name));
    metrics.close();
    expect(names).toContain(autoscaler.metrics[0].pods.metric.name);
    expect(all.filter(({ kind }) => kind === 'Secret')).toEqual([]);
  });
});

describe('the manifests for KServe', () => {
  const all = manifests('deploy/kserve/');
  const runtime = ofKind(all, 'ServingRuntime');
  const { model } = ofKind(all, 'InferenceService').spec.predictor;
  const container: Container = runtime.spec.containers[0];

  it('run the command by the protocol that it speaks', async () => {
    checkContainer(container);
    const settings = await settingsOf(variablesOf(container));
    expect([settings.host, container.ports[0]!.containerPort]).toEqual(['0.0.0.0', settings.port]);
    // KServe puts models there and looks for a container of this name.
    expect(container.args[1]).toMatch(/^\/mnt\/models$/);
    expect(runtime.spec.containers[0].name).toBe('kserve-container');
    const app = createApp(createModelRegistry(['later']), { mount: [inferenceProtocolPart()] });
    for (const [probe, status] of [
      [container.livenessProbe, 200],
      [container.readinessProbe, 503],
    ] as const) {
      expect(urgentPaths).toContain(probe.httpGet.path);
      expect((await app.request(probe.httpGet.path)).status).toBe(status);
    }
  });

  it('name each other', () => {
    expect(model.runtime).toBe(runtime.metadata.name);
    expect(runtime.spec.supportedModelFormats[0]).toMatchObject(model.modelFormat);
    expect(runtime.spec.protocolVersions).toContain(model.protocolVersion);
  });
});

it('finds what is not there', async () => {
  expect(() => checkArguments({ args: ['serve', '/bundle', '--wrokers=2'] })).toThrow();
  await expect(settingsOf({ FUZZQE_SERVE_WROKERS: '2' })).rejects.toMatchObject({ code: 'config' });
  await expect(settingsOf({ FUZZQE_SERVE_PORT: '80800' })).rejects.toMatchObject({ code: 'config' });
});
