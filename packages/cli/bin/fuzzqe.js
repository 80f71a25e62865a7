#!/usr/bin/env node
// A file of its own beside the build: npm links a command when it installs, and only where the file exists by then.
import { existsSync } from 'node:fs';
import process from 'node:process';

const entry = new URL('../dist/main.js', import.meta.url);
if (existsSync(entry)) {
  const { main } = await import(entry.href);
  await main();
} else {
  process.stderr.write('fuzzqe: not built yet: run npm run build in the root of the repository\n');
  process.exitCode = 2;
}
