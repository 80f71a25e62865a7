// Runs turbo without telemetry and shows what it says only where a task fails.
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';

const turbo = createRequire(import.meta.url).resolve('turbo/bin/turbo');
const { status, stdout, stderr, error } = spawnSync(process.execPath, [turbo, ...process.argv.slice(2)], {
  env: { ...process.env, TURBO_TELEMETRY_DISABLED: '1' },
  stdio: ['ignore', 'pipe', 'pipe'],
  maxBuffer: 1 << 28,
});
if (error !== undefined) throw error;
if (status !== 0) {
  process.stdout.write(stdout);
  process.stderr.write(stderr);
}
process.exitCode = status ?? 1;
