import type { Command } from 'commander';
import type { CalibrateFlags } from '../actions/calibrate.ts';
import { defaultThreads, parseSeconds, parseWholeNumber } from '../options/parse-options.ts';
import { printNextCommand } from '../terminal/next-command.ts';
import type { Terminal } from '../terminal/terminal.ts';

const examples = `
Mines rules from the training facts. Fits on the validation facts how rules,
schema, similar entities and the model together make a probability, and compares
it with the test facts. The run keeps the result: fuzzqe evaluate, export and
report use it.

Examples:
  fuzzqe calibrate runs/countries --data data/countries
  fuzzqe calibrate runs/countries --data data/countries --rules 30`;

/** Adds `fuzzqe calibrate`. */
export function addCalibrateCommand(program: Command, terminal: Terminal): void {
  program
    .command('calibrate <run>')
    .description('mine rules and fit how likely unrecorded facts are, for answers by fuzzy sets of entities')
    .requiredOption('--data <folder>', 'the data set that the run was trained on')
    .option('--rules <seconds>', 'mine rules anew, for about so long', parseSeconds)
    .option('--quick', 'use a fifth of the links and queries')
    .option(
      '--threads <n>',
      'threads; the figures do not depend on them',
      parseWholeNumber(1, 256),
      defaultThreads(),
    )
    .option('--json', 'print the calibration as JSON')
    .addHelpText('after', examples)
    .action(async (run: string, flags: CalibrateFlags) => {
      const { calibrate } = await import('../actions/calibrate.ts');
      const next = await calibrate(terminal, run, flags);
      if (!flags.json) printNextCommand(terminal, next);
    });
}
