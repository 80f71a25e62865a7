import type { Command } from 'commander';
import { profileHelp, requireSignatureHelp } from '../options/choices.ts';
import { parseWholeNumber } from '../options/parse-options.ts';
import { doing } from '../terminal/doing.ts';
import type { Terminal } from '../terminal/terminal.ts';

const examples = `
The eight laws are those of the paper's table. A law is a property of the degree
of every entity: law I says that no entity has a higher degree for "a and b"
than for a. The command tries queries of the 14 structures, and shows queries
and an entity for which a law does not hold.

Examples:
  fuzzqe laws bundles/countries
  fuzzqe laws bundles/countries --choices 500 --json`;

/** Adds `fuzzqe laws`. */
export function addLawsCommand(program: Command, terminal: Terminal): void {
  program
    .command('laws <bundle>')
    .description('look for queries that break the laws of logic, in both modes of a bundle')
    .option('--profile <name>', profileHelp)
    .option('--choices <n>', 'draws of queries to try each law on', parseWholeNumber(1, 100_000), 48)
    .option('--seed <n>', 'seed of the choices', parseWholeNumber(0), 1)
    .option('--require-signature <file>', requireSignatureHelp)
    .option('--json', 'print the findings as JSON')
    .option('--markdown', 'print the table as Markdown')
    .addHelpText('after', examples)
    .action(doing(terminal, async () => (await import('../actions/laws.ts')).showLaws));
}
