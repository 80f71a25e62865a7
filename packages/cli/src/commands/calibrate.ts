import type { Command } from 'commander';
import { parseSeconds } from '../options/parse-options.ts';
import { threadsOption } from '../options/shared-options.ts';
import { doing } from '../terminal/doing.ts';
import type { Terminal } from '../terminal/terminal.ts';

const examples = `
Mines rules from the training facts. Joins rules, schema, similar entities and
the model to one probability, fits it on the validation facts and compares it
with the test facts. The run keeps the result for fuzzqe evaluate, export and
report.

Examples:
  fuzzqe calibrate runs/countries --data data/countries
  fuzzqe calibrate runs/countries --data data/countries --rules 30`;

/** Adds `fuzzqe calibrate`. */
export function addCalibrateCommand(program: Command, terminal: Terminal): void {
  program
    .command('calibrate <run>')
    .description('mine rules and fit the probabilities of unrecorded facts (mode sets)')
    .requiredOption('--data <folder>', 'the data set that the run was trained on')
    .option('--rules <seconds>', 'mine new rules, for about this many seconds', parseSeconds)
    .option('--quick', 'use a fifth of the links and queries')
    .addOption(threadsOption('threads; the figures do not depend on them'))
    .option('--json', 'print the calibration as JSON')
    .addHelpText('after', examples)
    .action(doing(terminal, async () => (await import('../actions/calibrate.ts')).calibrate));
}
