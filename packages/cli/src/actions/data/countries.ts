import { loadCountries, writeDataset } from '@fuzzqe/data';
import type { NextCommand } from '../../terminal/next-command.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { describeDataset } from './describe.ts';

/** What `fuzzqe data countries` was told. */
export interface CountriesFlags {
  readonly out: string;
  readonly seed: number;
}

/** Does `fuzzqe data countries`. */
export async function writeCountries(
  terminal: Terminal,
  { out, seed }: CountriesFlags,
): Promise<NextCommand> {
  const dataset = loadCountries({ seed });
  await writeDataset(out, dataset);
  describeDataset(dataset).forEach(terminal.note);
  return ['data', 'sample', out];
}
