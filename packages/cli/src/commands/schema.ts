import type { Command } from 'commander';
import { requireSignatureHelp } from '../options/choices.ts';
import { parseWholeNumber } from '../options/parse-options.ts';
import { doing } from '../terminal/doing.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** Adds `fuzzqe schema`. */
export function addSchemaCommand(program: Command, terminal: Terminal): void {
  program
    .command('schema <graph> [relation]')
    .description('print what the facts of a bundle or a data set show about each relation')
    .option('--axioms', 'print the declared axioms (RDFS, OWL) instead')
    .option('--limit <n>', 'print this many relations or axioms at most', parseWholeNumber(1), 20)
    .option('--require-signature <file>', `for a bundle: ${requireSignatureHelp}`)
    .option('--json', 'print it as JSON, with ids, keys and counts')
    .addHelpText(
      'after',
      '\nExamples:\n  fuzzqe schema bundles/countries borders\n  fuzzqe schema data/rooms --axioms',
    )
    .action(doing(terminal, async () => (await import('../actions/schema.ts')).showSchema));
}
