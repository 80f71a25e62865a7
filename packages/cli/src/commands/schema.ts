import type { Command } from 'commander';
import type { SchemaFlags } from '../actions/schema.ts';
import { requireSignatureHelp } from '../options/choices.ts';
import { parseWholeNumber } from '../options/parse-options.ts';
import { printNextCommand } from '../terminal/next-command.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** Adds `fuzzqe schema`. */
export function addSchemaCommand(program: Command, terminal: Terminal): void {
  program
    .command('schema <graph> [relation]')
    .description('what the recorded facts of a bundle or a data set show of each relation, with counts')
    .option('--axioms', 'the axioms that the graph declares (RDFS, OWL) instead')
    .option('--limit <n>', 'at most so many relations or axioms', parseWholeNumber(1), 20)
    .option('--require-signature <file>', `of a bundle: ${requireSignatureHelp}`)
    .option('--json', 'print it as JSON, with ids, keys and counts')
    .addHelpText(
      'after',
      '\nExamples:\n  fuzzqe schema bundles/countries borders\n  fuzzqe schema data/rooms --axioms',
    )
    .action(async (place: string, relation: string | undefined, flags: SchemaFlags) => {
      const { showSchema } = await import('../actions/schema.ts');
      const next = await showSchema(terminal, place, relation, flags);
      if (!flags.json) printNextCommand(terminal, next);
    });
}
