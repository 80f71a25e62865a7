import type { Command } from 'commander';
import { doing } from '../terminal/doing.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** Adds `fuzzqe report`. */
export function addReportCommand(program: Command, terminal: Terminal): void {
  program
    .command('report <run>')
    .description('write one HTML page about a run: curves, figures, configuration, environment')
    .option('--out <file>', 'file for the page; default: report.html in the folder of the run')
    .addHelpText('after', '\nExample:\n  fuzzqe report runs/countries')
    .action(doing(terminal, async () => (await import('../actions/report.ts')).writeReport));
}
