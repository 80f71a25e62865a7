import type { Command } from 'commander';
import { threadsOption } from '../options/shared-options.ts';
import { doing } from '../terminal/doing.ts';
import type { Terminal } from '../terminal/terminal.ts';

const examples = `
Several small models often answer better than a large one. The runs must have
been trained on the same graph, with relationForm blocks; their dimensions add
up. A folder of fuzzqe train --seeds stands for the runs in it.

Examples:
  fuzzqe train data/codex-s --out runs/codex-s --config codex-s --seeds 1,2,3
  fuzzqe ensemble runs/codex-s --data data/codex-s --out runs/codex-s-ensemble`;

/** Adds `fuzzqe ensemble`. */
export function addEnsembleCommand(program: Command, terminal: Terminal): void {
  program
    .command('ensemble <runs...>')
    .description('join runs of several seeds to one model, whose scores are their mean')
    .requiredOption('--data <folder>', 'the data set of the runs')
    .requiredOption('--out <folder>', 'folder for the joined run')
    .addOption(threadsOption('threads; the result does not depend on them'))
    .option('--json', 'print what was joined as JSON')
    .addHelpText('after', examples)
    .action(doing(terminal, async () => (await import('../actions/ensemble.ts')).ensemble));
}
