import type { Command } from 'commander';
import type { NamesFlags } from '../actions/names.ts';
import { requireSignatureHelp } from '../options/choices.ts';
import { parseWholeNumber } from '../options/parse-options.ts';
import { printNextCommand } from '../terminal/next-command.ts';
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
    .action(async (place: string, text: string | undefined, flags: NamesFlags) => {
      const { listNames } = await import('../actions/names.ts');
      const next = await listNames(terminal, place, text, flags);
      if (!flags.json) printNextCommand(terminal, next);
    });
}
