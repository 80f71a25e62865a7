import { availableParallelism } from 'node:os';
import type { Command } from 'commander';
import { parseWholeNumber } from '../options/parse-options.ts';
import { doing } from '../terminal/doing.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** Adds `fuzzqe rules`. */
export function addRulesCommand(program: Command, terminal: Terminal): void {
  program
    .command('rules <graph> [relation]')
    .description('print the rules that a graph follows, best first, with examples')
    .option('--data <folder>', 'for a run: its data set')
    .option('--seconds <n>', 'for a data set: seconds of mining', parseWholeNumber(1, 86_400), 10)
    .option('--seed <n>', 'for a data set: seed of the mining', parseWholeNumber(0), 1)
    .option(
      '--workers <n>',
      'for a data set: threads of the mining; 0: the main thread',
      parseWholeNumber(0, 256),
      availableParallelism(),
    )
    .option('--limit <n>', 'print this many rules at most', parseWholeNumber(1), 20)
    .option('--json', 'print the rules as JSON, with keys and counts')
    .addHelpText(
      'after',
      '\nThe graph is a bundle, a run or a data set. A relation may end with ^-1.\n\nExamples:\n  fuzzqe rules data/countries\n  fuzzqe rules bundles/countries borders --limit 5',
    )
    .action(doing(terminal, async () => (await import('../actions/rules.ts')).listRules));
}
