import type { Command } from 'commander';
import type { RunFlags } from '../actions/run.ts';
import { configHelp, parityRuntimeNames } from '../options/choices.ts';
import { defaultThreads, nameOutOf, namesOutOf, wholeNumber } from '../options/parse-options.ts';
import { nameNext } from '../terminal/next-command.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** Adds `fuzzqe run`. */
export function addRunCommand(program: Command, terminal: Terminal): void {
  program
    .command('run <triples>')
    .description(
      'from triples to a verified bundle: import, sample, train, evaluate, export, parity; goes on where it was stopped',
    )
    .option('--out <folder>', 'where data, run and bundle go; default: runs/<name of the file>')
    .option('--config <name|file>', configHelp)
    .option('--steps <n>', 'steps to train', wholeNumber(1))
    .option('--seed <n>', 'seed of the split, the queries, the parameters and the batches', wholeNumber(0))
    .option('--threads <n>', 'threads', wholeNumber(1, 256), defaultThreads())
    .option(
      '--runtimes <names>',
      'which must answer as they should, separated by commas (see fuzzqe parity); default: node,web',
      namesOutOf(parityRuntimeNames, 'runtime'),
    )
    .option(
      '--facts <train|all>',
      'which facts the bundle records: those trained on, or those held out as well',
      nameOutOf(['train', 'all'], 'choice of facts'),
      'train',
    )
    .option('--serve', 'answer queries over HTTP afterwards')
    .option('--port <n>', 'port of the API', wholeNumber(0, 65_535), 8080)
    .addHelpText(
      'after',
      '\nExamples:\n  fuzzqe run triples.tsv\n  fuzzqe run facts.ttl --out runs/mine --config fb15k-237 --serve',
    )
    .action(async (triples: string, flags: RunFlags) => {
      const { runTriples } = await import('../actions/run.ts');
      const next = await runTriples(terminal, triples, flags);
      if (next !== undefined) nameNext(terminal, next);
    });
}
