import { join } from 'node:path';
import { FuzzError } from '@fuzzqe/core';
import { isPublished, parseStructure, type QueryStructure, readDataset, writeQuerySets } from '@fuzzqe/data';
import { expectWritable } from '@fuzzqe/files';
import { presets } from '@fuzzqe/train';
import { interruptible } from '../../terminal/interrupt.ts';
import type { NextCommand } from '../../terminal/next-command.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { nextCommandWithData, sampleWithProgress } from './query-files.ts';
import { sampleBeside } from './sample-beside.ts';
import { samplingSizes } from './sampling-sizes.ts';

/** What `fuzzqe data sample` was told. */
export interface SampleFlags {
  readonly train?: number;
  readonly trainNegation?: number;
  readonly valid?: number;
  readonly test?: number;
  readonly replace?: boolean;
  readonly every1p?: boolean;
  readonly structure?: readonly string[];
  /** Of each type, instead of queries. */
  readonly patterns?: number;
  /** Of each structure, instead of queries. */
  readonly balanced?: number;
  /** Of each structure, instead of queries. */
  readonly unselected?: number;
  readonly maxAnswers: number;
  readonly skipMirrored?: boolean;
  readonly skipIdleNegation?: boolean;
  readonly workers: number;
  readonly seed: number;
}

/** Does `fuzzqe data sample`. */
export async function sampleDataset(
  terminal: Terminal,
  folder: string,
  flags: SampleFlags,
): Promise<NextCommand> {
  for (const kind of ['patterns', 'balanced', 'unselected'] as const) {
    const each = flags[kind];
    if (each !== undefined) return sampleBeside(terminal, folder, flags, { kind, each });
  }
  const own = ownStructures(flags.structure ?? []);
  const dataset = await readDataset(folder);
  await expectWritable(join(folder, 'queries'));
  const asked = { ...flags, replace: flags.replace ?? false };
  const planned = await samplingSizes(terminal, folder, dataset, asked, presets.countries.queries);
  if (own.length > 0 && planned.valid === 0 && planned.test === 0)
    throw new FuzzError('usage', 'structures of your own are drawn as validation and test queries only', {
      hint: 'name a number of them, such as --test 250; --replace replaces those that are there',
    });
  const plan = {
    sizes: planned,
    every1p: flags.every1p ?? false,
    own,
    maxAnswers: flags.maxAnswers,
    rules: { skipMirrored: flags.skipMirrored ?? false, skipIdleNegation: flags.skipIdleNegation ?? false },
    workers: flags.workers,
    seed: flags.seed,
  };
  await interruptible(terminal, async (signal) => {
    const sampled = await sampleWithProgress(terminal, dataset, plan, signal);
    await writeQuerySets(folder, sampled, plan, { replace: asked.replace });
  });
  return nextCommandWithData(folder);
}

/** The structures of the option; one of the 14 is sampled anyway, and is left out. */
function ownStructures(texts: readonly string[]): QueryStructure[] {
  const structures = new Map<string, QueryStructure>();
  for (const structure of texts.map(parseStructure)) {
    if (isPublished(structure.name)) continue;
    if (structures.has(structure.name))
      throw new FuzzError('usage', `structure: expected each name once, got ${structure.name} twice`, {
        hint: 'Name them: --structure "first = …" --structure "second = …".',
      });
    structures.set(structure.name, structure);
  }
  return [...structures.values()];
}
