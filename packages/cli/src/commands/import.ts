import type { Command } from 'commander';
import { doing } from '../terminal/doing.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** Adds `fuzzqe import`. */
export function addImportCommand(program: Command, terminal: Terminal): void {
  program
    .command('import <parameters>')
    .description('import parameters trained elsewhere (safetensors) as a run')
    .requiredOption(
      '--config <file>',
      'the model: JSON with dimension, bases, logic and the other options, or config.json of KGReasoning',
    )
    .requiredOption('--data <folder>', 'the data set of the parameters, with ids in the same order')
    .requiredOption('--out <folder>', 'folder for the run')
    .addHelpText(
      'after',
      '\nExample:\n  fuzzqe import theirs.safetensors --config model.json --data data/fb15k-237 \\\n    --out runs/theirs',
    )
    .action(doing(terminal, async () => (await import('../actions/import.ts')).importRun));
}
