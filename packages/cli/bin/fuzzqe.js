#!/usr/bin/env node
// A file of its own beside the build: npm links a command when it installs, and only where the file exists by then.
import { existsSync } from 'node:fs';
import process from 'node:process';

const entry = new URL('../dist/main.js', import.meta.url);
// The first process of a container is ended by no signal that it does not listen for, and modules take a while to load.
const codes = { SIGINT: 130, SIGTERM: 143 };
const end = (signal) => process.exit(codes[signal]);
if (existsSync(entry)) {
  for (const signal of Object.keys(codes)) process.on(signal, end);
  const { main } = await import(entry.href);
  for (const signal of Object.keys(codes)) process.off(signal, end);
  await main();
} else {
  process.stderr.write('fuzzqe: not built yet: run npm run build in the root of the repository\n');
  process.exitCode = 2;
}
