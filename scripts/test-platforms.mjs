// Runs the engine's tests on Deno and Bun, by vitest itself: npm run test:platforms [-- deno|bun] [-- FILTER...]
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const { arch, platform } = process;

/** Programs of 100 MB each, so that the workspace does not depend on them; each is in a package of its system. */
const platforms = {
  deno: {
    package: 'deno@2.9.6',
    program: `@deno/${platform}-${arch}${platform === 'linux' ? '-glibc' : ''}/deno`,
    // Its worker threads lack what vitest's end calls.
    command: ['run', '--allow-all'],
    pool: 'forks',
  },
  bun: {
    package: 'bun@1.4.5',
    program: `@oven/bun-${platform}-${arch === 'arm64' ? 'aarch64' : arch}/bin/bun`,
    command: ['--bun'],
    pool: 'threads',
  },
};

/** What runs without a runtime of its own, and onnxruntime-web over fetch. */
const tests = [
  'packages/engine/src',
  'packages/api/src',
  'packages/edge/src/session.test.ts',
  'packages/edge/src/bundle-source.test.ts',
];

const [first, ...rest] = process.argv.slice(2);
const names = first === undefined || !(first in platforms) ? Object.keys(platforms) : [first];
const filters = first !== undefined && !(first in platforms) ? [first, ...rest] : rest;
const folder = mkdtempSync(join(tmpdir(), 'fuzzqe-platforms-'));
let failures = 0;
try {
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
  const wanted = names.map((name) => platforms[name].package);
  const npm = ['install', '--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund', ...wanted];
  run('npm', npm, 'ignore');
  for (const name of names) {
    const { program, command, pool, package: version } = platforms[name];
    const report = join(folder, `${name}.json`);
    const vitest = [
      join(root, 'node_modules/vitest/vitest.mjs'),
      'run',
      '--project',
      'unit*',
      `--pool=${pool}`,
    ];
    const reporters = [
      process.stdout.isTTY ? '--reporter=dot' : '--reporter=minimal',
      '--reporter=json',
      `--outputFile.json=${report}`,
    ];
    const { status } = run(
      join(folder, 'node_modules', program),
      [...command, ...vitest, ...reporters, ...(filters.length > 0 ? filters : tests)],
      'inherit',
    );
    const { numPassedTests, numFailedTests, numPendingTests } = JSON.parse(readFileSync(report, 'utf8'));
    const counts = `${numPassedTests} passed, ${numFailedTests} failed, ${numPendingTests} skipped`;
    process.stdout.write(`${version}: ${counts}${status === 0 ? '' : `, exit code ${status}`}\n`);
    if (status !== 0) failures += 1;
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exitCode = failures === 0 ? 0 : 1;

function run(program, argv, stdout) {
  const result = spawnSync(program, argv, { cwd: root, stdio: ['ignore', stdout, 'inherit'] });
  if (result.error !== undefined) throw result.error;
  return result;
}
