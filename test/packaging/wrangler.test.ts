import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { tinyBundle } from '@fuzzqe/parity/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
/** Installed by `npm run wrangler:install`: 200 MB that nothing else here needs. */
const wrangler = join(root, 'node_modules/.cache/fuzzqe-wrangler/node_modules/wrangler');
const isThere = existsSync(wrangler);
if (!isThere) {
  const reason = 'wrangler is not installed: npm run wrangler:install';
  if (process.env['FUZZQE_REQUIRE_RUNTIMES'] === '1') throw new Error(reason);
  process.stderr.write(`skipped: ${reason}\n`);
}

/** What a program says, as a user would run it in a folder. */
function runIn(cwd: string, program: string, ...args: readonly string[]) {
  const PATH = `${join(root, 'node_modules/.bin')}:${process.env['PATH']}`;
  const env = { ...process.env, PATH, CI: '1', HOME: join(cwd, '..'), WRANGLER_SEND_METRICS: 'false' };
  const { status, stdout, stderr } = spawnSync(program, args, { cwd, encoding: 'utf8', env });
  return { status, text: stdout + stderr };
}

/** Writes a project of the template. */
async function makeProject(project: string, ...flags: readonly string[]): Promise<void> {
  const command = join(root, 'packages/cli/bin/fuzzqe.js');
  const made = runIn(join(project, '..'), process.execPath, command, 'new', 'worker', project, ...flags);
  expect(made.status, made.text).toBe(0);
  // What `npm install` would fetch is what is built here.
  await symlink(join(root, 'node_modules'), join(project, 'node_modules'));
}

/** Has wrangler prepare a project for deployment, in the folder of this name beside it with `.out` at the end. */
const deploy = (project: string): ReturnType<typeof runIn> =>
  runIn(
    project,
    process.execPath,
    join(wrangler, 'bin/wrangler.js'),
    ...['deploy', '--dry-run', '--outdir', `${project}.out`],
  );

describe.skipIf(!isThere)('the project that `fuzzqe new worker` writes', () => {
  let folder: string;
  let bundle: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fuzzqe-wrangler-'));
    ({ directory: bundle } = await tinyBundle('tiny', ['int8-basis'], 'workers'));
    await makeProject(join(folder, 'my-worker'), '--bundle', bundle);
  });
  afterAll(async () => {
    await rm(folder, { recursive: true, force: true });
    await rm(bundle, { recursive: true, force: true });
  });
  it('is what wrangler deploys, as it is: one script, one module of WebAssembly, the bundle as assets', async () => {
    const example = JSON.parse(await readFile(join(root, 'examples/worker/package.json'), 'utf8'));
    const installed = JSON.parse(await readFile(join(wrangler, 'package.json'), 'utf8'));
    expect(installed.version).toBe(example.devDependencies.wrangler);
    const { status, text } = deploy(join(folder, 'my-worker'));
    expect(status, text).toBe(0);
    expect(text).toMatch(/env\.ASSETS\s+Assets/);
    expect(text).toMatch(/Read \d+ files from the assets directory/);
    const [, gzipped] = /gzip: ([\d.]+) KiB/.exec(text) ?? [];
    expect(Number(gzipped) * 1024, text).toBeLessThan(4e6);
    const out = await readdir(join(folder, 'my-worker.out'));
    expect(out.filter((name) => name.endsWith('.wasm'))).toHaveLength(1);
    expect(out).toContain('worker.js');
  });

  it('is refused by wrangler where what it imports is not there', async () => {
    const script = join(folder, 'my-worker/src/worker.js');
    const text = await readFile(script, 'utf8');
    await writeFile(script, text.replace('ort-wasm-simd-threaded.wasm', 'no-such-runtime.wasm'));
    expect(deploy(join(folder, 'my-worker')).status).not.toBe(0);
    await writeFile(script, text);
  });
});

describe.skipIf(!isThere)('`wrangler dev`', () => {
  it('answers other clients after one that sent too much without its length', {
    timeout: 90_000,
  }, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'fuzzqe-wrangler-dev-'));
    const { directory: bundle } = await tinyBundle('tiny', ['int8-basis'], 'workers');
    const project = join(folder, 'my-worker');
    await makeProject(project, '--bundle', bundle);
    const server = spawn(
      process.execPath,
      [join(wrangler, 'bin/wrangler.js'), 'dev', '--ip', '127.0.0.1', '--port', '0'],
      {
        cwd: project,
        env: { ...process.env, CI: '1', HOME: folder, WRANGLER_SEND_METRICS: 'false' },
        stdio: ['ignore', 'pipe', 'inherit'],
        // The runtime is its child, and ends with the group.
        detached: true,
      },
    );
    const ended = once(server, 'exit');
    try {
      let said = '';
      const address = await new Promise<string>((resolve, reject) => {
        server.once('exit', () => reject(new Error(said)));
        server.stdout.on('data', (data) => {
          said += data;
          const [, ready] = /Ready on (http:\S+)/.exec(said) ?? [];
          if (ready !== undefined) resolve(ready);
        });
      });
      const ask = async (body: string | ReadableStream): Promise<number> => {
        const headers = { 'content-type': 'application/json' };
        const init = { method: 'POST', headers, body, duplex: 'half' } as RequestInit; // of a stream
        const response = await fetch(`${address}/v1/query`, init);
        await response.text();
        return response.status;
      };
      const query = JSON.stringify({ query: 'project(#0, #1)' });
      expect(await ask(query)).toBe(200);
      for (const bytes of [400_000, 2_000_000]) {
        expect(await ask(new Blob([new Uint8Array(bytes).fill(0x20)]).stream())).toBe(413);
        expect(await ask(query)).toBe(200);
        expect((await fetch(`${address}/livez`)).status).toBe(200);
      }
    } finally {
      process.kill(-server.pid!, 'SIGKILL');
      await ended;
      await rm(folder, { recursive: true, force: true });
      await rm(bundle, { recursive: true, force: true });
    }
  });
});

describe('the project that `fuzzqe new worker` writes for a file of facts', () => {
  let folder: string;
  let project: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fuzzqe-model-'));
    project = join(folder, 'my-model');
    const facts = Array.from({ length: 40 }, (_, i) => [
      `p${i}\tknows\tp${(7 * i + 1) % 40}`,
      `p${i}\tlives in\tc${i % 5}`,
      `p${i}\tworks with\tp${(3 * i + 2) % 40}`,
    ]);
    await writeFile(join(folder, 'facts.tsv'), `${facts.flat().join('\n')}\n`);
    await makeProject(project, '--data', join(folder, 'facts.tsv'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('makes its model and the bundle for Workers with `npm run model`, in as many steps as are asked for, and `npm run bundle`', async () => {
    const trained = runIn(project, 'npm', 'run', '--silent', 'model', '--', '--steps', '20');
    expect(trained.status, trained.text).toBe(0);
    const made = runIn(project, 'npm', 'run', '--silent', 'bundle');
    expect(made.status, made.text).toBe(0);
    expect(made.text).toMatch(/^Wrote assets\/bundle: \d+ files/m);
    expect(made.text).toMatch(/^ {2}first request, about: \d+\.\d s of 30\.0 s of a processor/m);
    expect(made.text).not.toContain('TOO LARGE');
    const asked = runIn(project, 'fuzzqe', 'query', 'assets/bundle', 'project(knows, p0)', '-k', '3');
    expect(asked.status, asked.text).toBe(0);
    expect(asked.text).toContain('p1');
  });

  it.skipIf(!isThere)('is deployed by wrangler with the bundle that was made', async () => {
    const { status, text } = deploy(project);
    expect(status, text).toBe(0);
    // It counts folders, too.
    const assets = await readdir(join(project, 'assets'), { recursive: true });
    expect(assets).toEqual(
      expect.arrayContaining(['runtime.image', 'bundle/manifest.json', 'bundle/facts.bin']),
    );
    expect(text).toContain(`Read ${assets.length} files from the assets directory`);
    expect((await stat(join(`${project}.out`, 'worker.js'))).size).toBeGreaterThan(100_000);
    await rm(join(project, 'assets/bundle'), { recursive: true });
    expect(deploy(project).text).not.toContain(`Read ${assets.length} files`);
  });
});
