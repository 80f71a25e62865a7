import type { Command } from 'commander';
import { requireSignatureHelp } from '../options/choices.ts';
import { parseWholeNumber } from '../options/parse-options.ts';
import { doing } from '../terminal/doing.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** Adds `fuzzqe names`. */
export function addNamesCommand(program: Command, terminal: Terminal): void {
  program
    .command('names <bundle|data> [text]')
    .description('list entities or relations of a bundle or a data set, or search their names')
    .option('--relations', 'relations instead of entities')
    .option('--limit <n>', 'print this many at most', parseWholeNumber(1), 20)
    .option('--require-signature <file>', `of a bundle: ${requireSignatureHelp}`)
    .option('--json', 'print them as JSON, with ids, keys and numbers of facts')
    .addHelpText(
      'after',
      '\nExamples:\n  fuzzqe names bundles/countries --relations\n  fuzzqe names data/countries fran',
    )
    .action(doing(terminal, async () => (await import('../actions/names.ts')).listNames));
}
