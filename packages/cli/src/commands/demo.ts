import type { Command } from 'commander';
import { parseWholeNumber } from '../options/parse-options.ts';
import { threadsOption } from '../options/shared-options.ts';
import { doing } from '../terminal/doing.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** Adds `fuzzqe demo`. */
export function addDemoCommand(program: Command, terminal: Terminal): void {
  program
    .command('demo')
    .description('try everything on the Countries graph: sample, train, evaluate, export, verify, ask, serve')
    .option('--out <folder>', 'folder for the data set, the run and the bundle', 'runs/demo')
    .option(
      '--steps <n>',
      'training steps; few steps show the stages, with worse answers',
      parseWholeNumber(1),
    )
    .addOption(threadsOption())
    .option('--port <n>', 'port of the API', parseWholeNumber(0, 65_535), 8080)
    .option('--no-serve', 'end after the questions')
    .addHelpText('after', '\nExample:\n  fuzzqe demo --no-serve')
    .action(doing(terminal, async () => (await import('../actions/demo.ts')).runDemo));
}
