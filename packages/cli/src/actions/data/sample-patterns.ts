import { join } from 'node:path';
import { createRandom, FuzzError } from '@fuzzqe/core';
import {
  type AnsweredPattern,
  byType,
  efo1Names,
  expectNoPatterns,
  hasHeldOutFacts,
  patternParts,
  readDataset,
  samplePatternSet,
  writePatternSet,
} from '@fuzzqe/data';
import { expectWritable } from '@fuzzqe/files';
import { interruptible } from '../../terminal/interrupt.ts';
import type { NextCommand } from '../../terminal/next-command.ts';
import { createProgress } from '../../terminal/progress.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { nextCommandWithData } from './query-files.ts';
import type { SampleFlags } from './sample.ts';

/** Does `fuzzqe data sample --patterns`: the queries of the folder stay as they are. */
export async function sampleDatasetPatterns(
  terminal: Terminal,
  folder: string,
  flags: Pick<SampleFlags, 'replace' | 'maxAnswers' | 'seed'>,
  each: number,
): Promise<NextCommand> {
  const { replace = false, maxAnswers, seed } = flags;
  const dataset = await readDataset(folder);
  await expectWritable(join(folder, 'queries'));
  const parts = patternParts.filter((part) => hasHeldOutFacts(dataset, part));
  if (parts.length === 0)
    throw new FuzzError('data', 'no patterns can be sampled: the data set holds out no facts', {
      path: folder,
      hint: 'Import it with --hold-out 0.1.',
    });
  for (const part of replace ? [] : parts) await expectNoPatterns(folder, part);
  await interruptible(terminal, async (signal) => {
    for (const part of parts) {
      const progress = createProgress(terminal, `Sampling ${part}`, 'patterns');
      const patterns = await samplePatternSet(dataset, part, {
        ...{ count: each, maxAnswers, signal },
        random: createRandom('patterns', seed),
        onProgress: (done, total) => progress.update(done, total),
      });
      await writePatternSet(folder, part, patterns, { seed, each, maxAnswers }, { replace });
      progress.finish(describe(part, patterns, each));
    }
  });
  return nextCommandWithData(folder);
}

/** How many patterns there are, and of which types there are fewer than were asked for. */
function describe(part: string, patterns: readonly AnsweredPattern[], each: number): string {
  const types = byType(patterns);
  const fewer = efo1Names.flatMap((name) => {
    const count = types.get(name)?.length ?? 0;
    return count < each ? [`${name} ${count}`] : [];
  });
  const lacking = fewer.length === 0 ? '' : `; the graph is too small for more of ${fewer.join(', ')}`;
  return `Sampled ${patterns.length} ${part} patterns${lacking}`;
}
