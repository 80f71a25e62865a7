import { join } from 'node:path';
import { createRandom, FuzzError } from '@fuzzqe/core';
import {
  byType,
  type Dataset,
  type DrawnSet,
  drawnStructures,
  efo1Names,
  expectNoDrawnSet,
  expectNoPatterns,
  hasHeldOutFacts,
  readDataset,
  sampleDrawnSet,
  samplePatternSet,
  writeDrawnSet,
  writePatternSet,
} from '@fuzzqe/data';
import { expectWritable, pathExists } from '@fuzzqe/files';
import { interruptible } from '../../terminal/interrupt.ts';
import type { NextCommand } from '../../terminal/next-command.ts';
import { createProgress } from '../../terminal/progress.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { runOf } from './query-files.ts';
import type { SampleFlags } from './sample.ts';

type Part = 'valid' | 'test';

/** How validation and test queries of another kind are drawn, which stand beside the queries of a folder. */
interface KindBeside {
  /** In the plural. */
  readonly what: string;
  /** Throws FuzzError `usage`. */
  expectNone(folder: string, part: Part): Promise<void>;
  /** Draws and writes those of a part; how many there are of each type. */
  draw(task: DrawTask): Promise<ReadonlyMap<string, number>>;
}

interface DrawTask {
  readonly dataset: Dataset;
  readonly folder: string;
  readonly part: Part;
  readonly each: number;
  readonly flags: BesideFlags;
  readonly signal: AbortSignal;
  readonly onProgress: (done: number, total: number) => void;
}

type BesideFlags = Pick<SampleFlags, 'replace' | 'maxAnswers' | 'seed'>;

/** Queries that are drawn for a purpose of their own. */
const kindOf = (set: DrawnSet): KindBeside => ({
  what: `${set} queries`,
  expectNone: (folder, part) => expectNoDrawnSet(folder, set, part),
  async draw({ dataset, folder, part, each, flags: { seed, maxAnswers, replace = false }, ...options }) {
    const random = createRandom(set, seed);
    const found = await sampleDrawnSet(dataset, set, part, { ...options, count: each, maxAnswers, random });
    await writeDrawnSet(folder, set, part, found, { seed, each, maxAnswers }, { replace });
    const counts = new Map(found.map(({ structure, count }) => [structure, count]));
    return new Map(drawnStructures[set].map(({ name }) => [name, counts.get(name) ?? 0]));
  },
});

/** Patterns beyond trees, queries balanced over their missing links, and queries that no held-out fact has selected. */
const kinds: Readonly<Record<'patterns' | DrawnSet, KindBeside>> = {
  patterns: {
    what: 'patterns',
    expectNone: expectNoPatterns,
    async draw({ dataset, folder, part, each, flags: { seed, maxAnswers, replace = false }, ...options }) {
      const random = createRandom('patterns', seed);
      const found = await samplePatternSet(dataset, part, { ...options, count: each, maxAnswers, random });
      await writePatternSet(folder, part, found, { seed, each, maxAnswers }, { replace });
      const types = byType(found);
      return new Map(efo1Names.map((name) => [name, types.get(name)?.length ?? 0]));
    },
  },
  balanced: kindOf('balanced'),
  unselected: kindOf('unselected'),
};

/** Does `fuzzqe data sample` with `--patterns`, `--balanced` or `--unselected`: the queries of the folder stay as they are. */
export async function sampleBeside(
  terminal: Terminal,
  folder: string,
  flags: BesideFlags,
  { kind, each }: { readonly kind: keyof typeof kinds; readonly each: number },
): Promise<NextCommand> {
  const { what, expectNone, draw } = kinds[kind];
  const dataset = await readDataset(folder);
  await expectWritable(join(folder, 'queries'));
  const parts = (['valid', 'test'] as const).filter((part) => hasHeldOutFacts(dataset, part));
  if (parts.length === 0)
    throw new FuzzError('data', `no ${what} can be sampled: the data set holds out no facts`, {
      path: folder,
      hint: 'Import it with --hold-out 0.1.',
    });
  for (const part of flags.replace ? [] : parts) await expectNone(folder, part);
  await interruptible(terminal, async (signal) => {
    for (const part of parts) {
      const progress = createProgress(terminal, `Sampling ${part}`, what);
      const onProgress = (done: number, total: number): void => progress.update(done, total);
      const counts = await draw({ dataset, folder, part, each, flags, signal, onProgress });
      progress.finish(describe(`${part} ${what}`, counts, each));
    }
  });
  const run = runOf(folder);
  return ['evaluate', (await pathExists(run)) ? run : '…', '--data', folder, '--queries', kind];
}

/** How many there are, and of which types there are fewer than were asked for. */
function describe(what: string, counts: ReadonlyMap<string, number>, each: number): string {
  const fewer = [...counts].flatMap(([name, count]) => (count < each ? [`${name} ${count}`] : []));
  const all = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const lacking = fewer.length === 0 ? '' : `; the graph is too small for more of ${fewer.join(', ')}`;
  return `Sampled ${all} ${what}${lacking}`;
}
