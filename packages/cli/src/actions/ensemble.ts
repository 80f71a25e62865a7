import { readDataset } from '@fuzzqe/data';
import { expectWritable } from '@fuzzqe/files';
import { ensembleRuns } from '@fuzzqe/pipeline';
import { listSeeds, seedFolder } from '../evaluation/open-models.ts';
import { formatColumns } from '../terminal/columns.ts';
import { interruptible } from '../terminal/interrupt.ts';
import type { NextCommand } from '../terminal/next-command.ts';
import { createNamedProgress } from '../terminal/progress.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** What `fuzzqe ensemble` was told. */
export interface EnsembleFlags {
  readonly data: string;
  readonly out: string;
  readonly threads: number;
  readonly json?: boolean;
}

/** Does `fuzzqe ensemble`. */
export async function ensemble(
  terminal: Terminal,
  paths: readonly string[],
  flags: EnsembleFlags,
): Promise<NextCommand> {
  const { data, out, threads } = flags;
  await expectWritable(out);
  const dataset = await readDataset(data);
  const runs = (await Promise.all(paths.map(runsAt))).flat();
  const members = await interruptible(terminal, (signal) =>
    ensembleRuns({
      ...{ runs, dataset, directory: out, threads, signal },
      onProgress: createNamedProgress(terminal),
    }),
  );
  terminal.status('');
  if (flags.json) terminal.out(JSON.stringify({ members }));
  else {
    const head = [{ title: 'run' }, { title: 'dimension', right: true }, { title: 'weight', right: true }];
    const rows = members.map(({ run, dimension, weight }) => [run, `${dimension}`, weight.toFixed(3)]);
    formatColumns(head, rows, terminal.columns).forEach(terminal.out);
  }
  terminal.note(`Wrote ${out}`);
  return ['calibrate', out, '--data', data];
}

/** The run at a path, or those of several seeds in its folder. */
async function runsAt(path: string): Promise<readonly string[]> {
  const seeds = await listSeeds(path);
  return seeds.length === 0 ? [path] : seeds.map((seed) => seedFolder(path, seed));
}
