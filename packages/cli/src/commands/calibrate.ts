import type { Command } from 'commander';
import type { CalibrateFlags } from '../actions/calibrate.ts';
import { defaultThreads, parseWholeNumber } from '../options/parse-options.ts';
import { printNextCommand } from '../terminal/next-command.ts';
import type { Terminal } from '../terminal/terminal.ts';

const examples = `
The calibration says which degree a link has that is not recorded. It is kept in
the run's calibration.json, and fuzzqe evaluate --mode sets uses it.

Example:
  fuzzqe calibrate runs/countries --data data/countries`;

/** Adds `fuzzqe calibrate`. */
export function addCalibrateCommand(program: Command, terminal: Terminal): void {
  program
    .command('calibrate <run>')
    .description('fit the degrees of links that are not recorded, for answers by fuzzy sets of entities')
    .requiredOption('--data <folder>', 'the data set with its validation queries')
    .option('--each <n>', 'validation queries of each structure', parseWholeNumber(1), 50)
    .option(
      '--threads <n>',
      'threads; the figures do not depend on them',
      parseWholeNumber(1, 256),
      defaultThreads(),
    )
    .option('--json', 'print the calibration as JSON')
    .addHelpText('after', examples)
    .action(async (run: string, flags: CalibrateFlags) => {
      const { calibrateRun } = await import('../actions/calibrate.ts');
      const next = await calibrateRun(terminal, run, flags);
      if (!flags.json) printNextCommand(terminal, next);
    });
}
