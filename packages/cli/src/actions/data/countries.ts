import { loadCountries, writeDataset } from '@fuzzqe/data';
import type { CountriesFlags } from '../../commands/data.ts';
import type { NextCommand } from '../../terminal/next-command.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { describeDataset } from './describe.ts';

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
