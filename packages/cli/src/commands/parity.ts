import { writeFile } from 'node:fs/promises';
import { FuzzError } from '@fuzzqe/core';
import {
  expectParity,
  formatHtml,
  formatMatrix,
  parityRuntimeNames,
  parityRuntimes,
  runParity,
} from '@fuzzqe/parity';
import type { Command } from 'commander';
import type { Terminal } from '../terminal/terminal.ts';
import { namesOutOf, wholeNumber } from './options.ts';

interface ParityFlags {
  readonly runtimes?: string;
  readonly profiles?: string;
  readonly fresh: number;
  readonly trees: number;
  readonly seed: number;
  readonly json?: boolean;
  readonly html?: string;
}

/** Adds `fuzzqe parity`. */
export function addParityCommand(program: Command, terminal: Terminal): void {
  const runtimes = parityRuntimeNames.map(
    (name) => `  ${name.padEnd(16)}${parityRuntimes[name].description}`,
  );
  program
    .command('parity <bundle>')
    .description("compare a bundle's answers on every runtime, in its profiles, with the float64 reference")
    .option('--runtimes <names>', 'which, separated by commas; by default all that are present')
    .option('--profiles <names>', 'which, separated by commas; by default all that the bundle has')
    .option('--fresh <n>', 'random queries of each structure', wholeNumber(0, 1000), 4)
    .option('--trees <n>', 'random query trees of any shape', wholeNumber(0, 10_000), 30)
    .option('--seed <n>', 'seed of the random queries', wholeNumber(0), 1)
    .option('--json', 'print the comparison as JSON')
    .option('--html <file>', 'write the comparison as one HTML file, too')
    .addHelpText(
      'after',
      `\nRuntimes:\n${runtimes.join('\n')}\n\nExample:\n  fuzzqe parity bundles/countries --runtimes node,chromium --html parity.html`,
    )
    .action(async (bundle: string, flags: ParityFlags) => {
      const wanted =
        flags.runtimes === undefined
          ? undefined
          : [...new Set(namesOutOf(flags.runtimes, parityRuntimeNames, 'runtime'))];
      const { fresh, trees, seed } = flags;
      const onStep = (what: string): void => terminal.status(what);
      const profiles =
        flags.profiles === undefined
          ? {}
          : { profiles: [...new Set(flags.profiles.split(',').map((name) => name.trim()))] };
      const matrix = await runParity({ bundle, runtimes: wanted, ...profiles, fresh, trees, seed, onStep });
      terminal.status('');
      if (flags.json) terminal.out(JSON.stringify(matrix));
      else formatMatrix(matrix).forEach(terminal.out);
      if (flags.html !== undefined) await writeHtml(flags.html, formatHtml(matrix));
      expectParity(matrix);
    });
}

async function writeHtml(file: string, text: string): Promise<void> {
  await writeFile(file, text).catch((cause: unknown) => {
    throw new FuzzError(
      'usage',
      `--html: cannot be written: ${cause instanceof Error ? cause.message : cause}`,
      {
        path: file,
        hint: 'Give a file in a folder that exists.',
        cause,
      },
    );
  });
}
