import type { Command } from 'commander';
import type { NewFlags } from '../actions/new-worker.ts';
import { printNextCommand } from '../terminal/next-command.ts';
import type { Terminal } from '../terminal/terminal.ts';

const examples = `
Examples:
  fuzzqe new worker my-worker --bundle bundles/countries-worker
  cd my-worker && npm install && npx wrangler dev`;

/** Adds `fuzzqe new`. */
export function addNewCommand(program: Command, terminal: Terminal): void {
  program
    .command('new')
    .description('begin a project around a bundle')
    .command('worker <folder>')
    .description('a Cloudflare Worker with the HTTP API')
    .option('--bundle <folder>', 'copy this bundle into it, exported with --target workers')
    .addHelpText('after', examples)
    .action(async (folder: string, flags: NewFlags) => {
      const { newWorker } = await import('../actions/new-worker.ts');
      printNextCommand(terminal, await newWorker(terminal, folder, flags));
    });
}
