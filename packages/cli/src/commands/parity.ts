import type { Command } from 'commander';
import { parityRuntimeNames, parityRuntimes, requireSignatureHelp } from '../options/choices.ts';
import { parseChoices, parseWholeNumber } from '../options/parse-options.ts';
import { doing } from '../terminal/doing.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** Adds `fuzzqe parity`. */
export function addParityCommand(program: Command, terminal: Terminal): void {
  const runtimes = Object.entries(parityRuntimes).map(([name, what]) => `  ${name.padEnd(16)}${what}`);
  program
    .command('parity <bundle>')
    .description("compare a bundle's answers on every runtime, in its profiles, with the float64 reference")
    .option(
      '--runtimes <names>',
      'runtimes, separated by commas; default: all that are installed',
      parseChoices(parityRuntimeNames, 'runtime'),
    )
    .option('--profiles <names>', 'precision profiles, separated by commas; default: all of the bundle')
    .option('--fresh <n>', 'random queries of each structure, asked together', parseWholeNumber(2, 1000), 4)
    .option('--trees <n>', 'random query trees of any shape', parseWholeNumber(0, 10_000), 30)
    .option('--seed <n>', 'seed of the random queries', parseWholeNumber(0), 1)
    .option('--require-signature <file>', requireSignatureHelp)
    .option('--json', 'print the comparison as JSON')
    .option('--html <file>', 'also write the comparison as one HTML file')
    .addHelpText(
      'after',
      `\nRuntimes:\n${runtimes.join('\n')}\n\nExample:\n  fuzzqe parity bundles/countries --runtimes node,chromium --html parity.html`,
    )
    .action(doing(terminal, async () => (await import('../actions/parity.ts')).compareRuntimes));
}
