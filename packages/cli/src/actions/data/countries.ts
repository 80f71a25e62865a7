import { holdsDataset, loadCountries, writeDataset } from '@fuzzqe/data';
import type { NextCommand } from '../../terminal/next-command.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { describeDataset } from './describe.ts';
import { nextCommandWithData } from './query-files.ts';

/** What `fuzzqe data countries` was told. */
export interface CountriesFlags {
  readonly out: string;
  readonly seed: number;
}

/** Does `fuzzqe data countries`; a folder that holds this data set already is left as it is, so that scripts can be run again. */
export async function writeCountries(
  terminal: Terminal,
  { out, seed }: CountriesFlags,
): Promise<NextCommand> {
  const dataset = loadCountries({ seed });
  if (await holdsDataset(out, dataset))
    terminal.note(`${out} holds this data set already: nothing was written.`);
  else await writeDataset(out, dataset);
  describeDataset(dataset).forEach(terminal.note);
  return nextCommandWithData(out);
}
