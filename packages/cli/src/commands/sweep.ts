import type { Command } from 'commander';
import { doing } from '../terminal/doing.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** Adds `fuzzqe sweep`. */
export function addSweepCommand(program: Command, terminal: Terminal): void {
  const sweep = program.command('sweep').description('show the progress of a sweep, or fetch its best trial');
  sweep
    .command('status <store>')
    .description('show each trial: parameters, state, metric, steps')
    .option('--json', 'print it as JSON')
    .addHelpText('after', '\nExample:\n  fuzzqe sweep status sweeps/countries')
    .action(doing(terminal, async () => (await import('../actions/sweep.ts')).showSweep));
  sweep
    .command('best <store>')
    .description('write the run of the best finished trial, with its configuration in config.json')
    .requiredOption('--out <folder>', 'folder for the run')
    .option('--json', 'print the trial as JSON')
    .addHelpText('after', '\nExample:\n  fuzzqe sweep best sweeps/countries --out runs/best')
    .action(doing(terminal, async () => (await import('../actions/sweep.ts')).keepBestTrial));
}
