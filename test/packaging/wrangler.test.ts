import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
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

describe.skipIf(!isThere)('the project that `fuzzqe new worker` writes', () => {
  let folder: string;
  let bundle: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fuzzqe-wrangler-'));
    ({ directory: bundle } = await tinyBundle('tiny', ['int8-basis'], 'workers'));
    const made = spawnSync(
      process.execPath,
      [
        join(root, 'packages/cli/bin/fuzzqe.js'),
        'new',
        'worker',
        join(folder, 'my-worker'),
        '--bundle',
        bundle,
      ],
      { encoding: 'utf8' },
    );
    expect(made.status, made.stderr).toBe(0);
    // What `npm install` would fetch is what is built here.
    await symlink(join(root, 'node_modules'), join(folder, 'my-worker/node_modules'));
  });
  afterAll(async () => {
    await rm(folder, { recursive: true, force: true });
    await rm(bundle, { recursive: true, force: true });
  });
  const deploy = () => {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [join(wrangler, 'bin/wrangler.js'), 'deploy', '--dry-run', '--outdir', join(folder, 'out')],
      {
        cwd: join(folder, 'my-worker'),
        encoding: 'utf8',
        env: { ...process.env, CI: '1', HOME: folder, WRANGLER_SEND_METRICS: 'false' },
      },
    );
    return { status, text: stdout + stderr };
  };

  it('is what wrangler deploys, as it is: one script, one module of WebAssembly, the bundle as assets', async () => {
    const example = JSON.parse(await readFile(join(root, 'examples/worker/package.json'), 'utf8'));
    const installed = JSON.parse(await readFile(join(wrangler, 'package.json'), 'utf8'));
    expect(installed.version).toBe(example.devDependencies.wrangler);
    const { status, text } = deploy();
    expect(status, text).toBe(0);
    expect(text).toMatch(/env\.ASSETS\s+Assets/);
    expect(text).toMatch(/Read \d+ files from the assets directory/);
    const [, gzipped] = /gzip: ([\d.]+) KiB/.exec(text) ?? [];
    expect(Number(gzipped) * 1024, text).toBeLessThan(4e6);
    const out = await readdir(join(folder, 'out'));
    expect(out.filter((name) => name.endsWith('.wasm'))).toHaveLength(1);
    expect(out).toContain('worker.js');
  });

  it('is refused by wrangler where what it imports is not there', async () => {
    const script = join(folder, 'my-worker/src/worker.js');
    const text = await readFile(script, 'utf8');
    await writeFile(script, text.replace('ort-wasm-simd-threaded.wasm', 'no-such-runtime.wasm'));
    expect(deploy().status).not.toBe(0);
    await writeFile(script, text);
  });
});
