#!/usr/bin/env node
import { createRequire } from 'node:module';
import { runCommand } from './run-command.ts';
import { processTerminal } from './terminal/terminal.ts';

const { version } = createRequire(import.meta.url)('../package.json') as { version: string };
const code = await runCommand(process.argv.slice(2), processTerminal(), version);
// Not process.exit: output that is still on its way would be cut off.
process.exitCode ||= code;
