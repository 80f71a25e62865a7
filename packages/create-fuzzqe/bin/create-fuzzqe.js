#!/usr/bin/env node
// A file of its own beside the build: npm links a command when it installs, and only where the file exists by then.
import { existsSync } from 'node:fs';
import process from 'node:process';

const entry = new URL('../dist/run-create.js', import.meta.url);
if (existsSync(entry)) {
  const { runCreate } = await import(entry.href);
  process.exitCode = await runCreate(process.argv.slice(2));
} else {
  process.stderr.write('create-fuzzqe: not built yet: run npm run build in the root of the repository\n');
  process.exitCode = 2;
}
