import type { Command } from 'commander';
import type { DemoFlags } from '../actions/demo.ts';
import { defaultThreads, parseWholeNumber } from '../options/parse-options.ts';
import { printNextCommand } from '../terminal/next-command.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** Adds `fuzzqe demo`. */
export function addDemoCommand(program: Command, terminal: Terminal): void {
  program
    .command('demo')
    .description(
      'the whole way on the Countries graph: sample, train, evaluate, export, verify, ask and serve',
    )
    .option('--out <folder>', 'where the run and the bundle go', 'runs/demo')
    .option(
      '--steps <n>',
      'train for fewer steps, to see the stages without the quality',
      parseWholeNumber(1),
    )
    .option('--threads <n>', 'threads', parseWholeNumber(1, 256), defaultThreads())
    .option('--port <n>', 'port of the API', parseWholeNumber(0, 65_535), 8080)
    .option('--no-serve', 'end after the questions')
    .addHelpText('after', '\nExample:\n  fuzzqe demo --no-serve')
    .action(async (flags: DemoFlags) => {
      const { runDemo } = await import('../actions/demo.ts');
      printNextCommand(terminal, await runDemo(terminal, flags));
    });
}
