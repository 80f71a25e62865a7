import { basename, join, resolve } from 'node:path';
import { readRunLog, readRunState, writeFileWhole } from '@fuzzqe/train';
import type { Command } from 'commander';
import { reportPage } from '../report/page.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** Adds `fuzzqe report`. */
export function addReportCommand(program: Command, terminal: Terminal): void {
  program
    .command('report <run>')
    .description('a run as one HTML page: curves, figures by structure, configuration and environment')
    .option('--out <file>', 'where the page goes; report.html in the folder of the run without this')
    .addHelpText('after', '\nExample:\n  fuzzqe report runs/countries')
    .action(async (run: string, flags: { out?: string }) => {
      const state = await readRunState(run);
      const log = await readRunLog(run);
      const path = flags.out ?? join(run, 'report.html');
      await writeFileWhole(path, reportPage({ name: basename(resolve(run)), state, log }));
      terminal.note(`Wrote ${path}`);
    });
}
