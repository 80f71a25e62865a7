import type { Command } from 'commander';
import type { CalibrateFlags } from '../actions/calibrate.ts';
import { defaultThreads, parseShare, parseWholeNumber } from '../options/parse-options.ts';
import { printNextCommand } from '../terminal/next-command.ts';
import type { Terminal } from '../terminal/terminal.ts';

const examples = `
Degrees are fitted on whole validation queries; how likely a link is, on the
validation facts, and compared with those of the test. Both are kept in the
run's calibration.json: fuzzqe evaluate, export and report use it.

Examples:
  fuzzqe calibrate runs/countries --data data/countries
  fuzzqe calibrate runs/countries --data data/countries --precision 0.8`;

/** Adds `fuzzqe calibrate`. */
export function addCalibrateCommand(program: Command, terminal: Terminal): void {
  program
    .command('calibrate <run>')
    .description(
      'fit the degrees and probabilities of links that are not recorded, for answers by fuzzy sets of entities',
    )
    .requiredOption('--data <folder>', 'the data set with its validation queries')
    .option('--each <n>', 'validation queries of each structure', parseWholeNumber(1), 50)
    .option('--precision <share>', 'say from which degree on links are right so often', parseShare, 0.9)
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
