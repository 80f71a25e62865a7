import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { canIsolate, type TracedOptions, type Traces, traced } from './traces.ts';
import { root, run } from './workspace.ts';

const scratch = mkdtempSync(join(tmpdir(), 'fuzzqe-leaks-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const bundle = join(scratch, 'bundles/product');
const command = join(root, 'packages/cli/bin/fuzzqe.js');
/** ONNX Runtime sends what it has gathered nine seconds after the first session. */
const untilSent = 12_000;

let counts = false;
beforeAll(async () => {
  counts = await canIsolate();
  if (!counts) process.stderr.write('packets are not counted: this user cannot make a network namespace\n');
  const { status, stderr } = run('test/packaging/export-tiny.mjs', [
    join(scratch, 'bundles'),
    'product',
    'fp32',
  ]);
  if (status !== 0) throw new Error(stderr);
});

/** What leaves no trace and sends nothing, not even to this machine. */
const silent = {
  files: [],
  packets: expect.toSatisfy(
    (packets: Traces['packets']) => !counts || (packets?.elsewhere === 0 && packets.toThisMachine === 0),
  ),
};

const fuzzqe = (args: readonly string[], options?: TracedOptions): Promise<Traces> =>
  traced(scratch, [command, ...args], options);
/** Modules are found beside this repository's packages. */
const module = (source: string, options: TracedOptions = {}): Promise<Traces> =>
  traced(scratch, ['--input-type=module', '--eval', source], { cwd: root, ...options });

const answer = `
  import { openEngine } from '@fuzzqe/engine';
  import { folderSource, nodeSessions } from '@fuzzqe/serve';
  const engine = await openEngine({ source: folderSource(${JSON.stringify(bundle)}), sessions: nodeSessions(${JSON.stringify(bundle)}) });
  await engine.warmUp();
  console.log('open');`;
/** A program that answers in a worker thread, with an environment of the thread's own. */
const worker = (environment: string): string => `
  import { SHARE_ENV, Worker } from 'node:worker_threads';
  const execArgv = ['--input-type=module'];
  new Worker(${JSON.stringify(answer)}, { eval: true, execArgv, env: ${environment} });
  setTimeout(() => {}, ${untilSent / 20});`;
const stayAwake = `setTimeout(() => {}, ${untilSent});`;

describe.concurrent('no file in an empty home and nothing sent', { timeout: 240_000 }, () => {
  it('by the whole way: sample, train, calibrate, evaluate, export, verify, ask', async () => {
    const secret = 's3cret-of-the-environment';
    const out = join(scratch, 'demo');
    const traces = await fuzzqe(['demo', '--no-serve', '--steps', '10', '--out', out], {
      environment: { NPM_TOKEN: secret, HTTPS_PROXY: `http://ann:${secret}@127.0.0.1:9` },
    });
    expect(traces).toMatchObject({ code: 0, ...silent });
    const files = readdirSync(out, { recursive: true, withFileTypes: true }).filter((entry) =>
      entry.isFile(),
    );
    const written = files.map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'latin1'));
    expect(written.length).toBeGreaterThan(30);
    // Nothing of the environment, and no name of this machine's folders.
    for (const text of [traces.said.replaceAll(out, ''), ...written])
      for (const leak of [secret, scratch, homedir()]) expect(text.includes(leak)).toBe(false);
  });

  it('by a query, and by looking for devices', async () => {
    expect(await fuzzqe(['query', bundle, 'project(r0, e0)'])).toMatchObject({ code: 0, ...silent });
    expect(await fuzzqe(['devices'])).toMatchObject({ code: 0, ...silent });
  });

  it('by a server that waits', async () => {
    const stop = { until: /"msg":"serving"/, after: untilSent };
    const traces = await fuzzqe(['serve', bundle, '--port', '0', '--host', '0.0.0.0'], { stop });
    expect(traces.said).toContain('"msg":"closing"');
    expect(traces).toMatchObject(silent);
  });

  it('by a program that answers with the packages', async () => {
    expect(await module(`${answer}${stayAwake}`)).toMatchObject({ code: 0, said: 'open\n', ...silent });
  });

  it('by onnxruntime-web and TensorFlow.js in Node', async () => {
    const traces = await module(`
      import * as ort from 'onnxruntime-web';
      import { openEngine } from '@fuzzqe/engine';
      import { webSessions } from '@fuzzqe/edge';
      import { folderSource } from '@fuzzqe/serve';
      import { probeBackend } from '@fuzzqe/tfjs';
      const engine = await openEngine({ source: folderSource(${JSON.stringify(bundle)}), sessions: webSessions({ ort }) });
      await engine.warmUp();
      for (const name of ['cpu', 'wasm']) await probeBackend(name);
      console.log('open');
      ${stayAwake}`);
    expect(traces).toMatchObject({ code: 0, said: 'open\n', ...silent });
  });

  it('by a worker thread whose main thread imported the package, whatever environment it was given', async () => {
    const traces = await module(`import '@fuzzqe/serve'; ${worker('{}')}`);
    expect(traces).toMatchObject({ code: 0, said: 'open\n', ...silent });
  });

  it('by a worker thread that shares the environment of its process', async () => {
    const traces = await module(worker('SHARE_ENV'));
    expect(traces).toMatchObject({ code: 0, said: 'open\n', ...silent });
  });

  it('by a worker thread that cannot reach the environment of its process: it opens nothing', async () => {
    for (const environment of ['process.env', "{ ORT_DISABLE_TELEMETRY: '1' }"]) {
      const traces = await module(worker(environment));
      expect(traces).toMatchObject({ code: 1, ...silent });
      expect(traces.said).toContain('onnxruntime-node would send telemetry');
      expect(traces.said).toContain('in the main thread');
    }
    const decided = await module(worker('process.env'), { environment: { ORT_DISABLE_TELEMETRY: '1' } });
    expect(decided).toMatchObject({ code: 0, said: 'open\n', ...silent });
  });

  it('unless the user wants telemetry: then there are files, and something is sent', async () => {
    const environment = { ORT_DISABLE_TELEMETRY: '0' };
    const short = await fuzzqe(['query', bundle, 'project(r0, e0)'], { environment });
    expect(short.code).toBe(0);
    expect(short.files).toContain('deviceid');
    const long = await module(`${answer}${stayAwake}`, { environment });
    expect(long.files).toContain('deviceid');
    if (counts) expect(long.packets!.elsewhere).toBeGreaterThan(0);
  });
});
