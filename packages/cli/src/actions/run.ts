import { basename } from 'node:path';
import { defaultOutput, pipeline, pipelineFolders } from '@fuzzqe/pipeline';
import { loadTrainingConfig, type TrainingConfig } from '@fuzzqe/train';
import { exampleQuery } from '../names/example-query.ts';
import type { parityRuntimeNames } from '../options/choices.ts';
import { interruptible } from '../terminal/interrupt.ts';
import type { NextCommand } from '../terminal/next-command.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { type ImportOptionFlags, importOptionsOf } from './data/import-options.ts';
import { reportPipeline } from './report-pipeline.ts';
import { createMeanwhileService } from './serve-meanwhile.ts';
import { configOfRun } from './training-config.ts';

/** What `fuzzqe run` was told. */
export interface RunFlags extends ImportOptionFlags {
  readonly out?: string;
  readonly name?: string;
  readonly config?: string;
  readonly steps?: number;
  readonly minutes?: number;
  readonly seed?: number;
  readonly threads: number;
  readonly runtimes?: typeof parityRuntimeNames;
  readonly facts?: 'train' | 'all';
  readonly refit?: boolean;
  readonly serve?: boolean;
  readonly port: number;
}

/** The configuration that was named; where neither it nor a seed is, that of a run that was begun there. */
async function configFor(
  run: string,
  { config, seed }: RunFlags,
): Promise<{ readonly config?: TrainingConfig }> {
  if (config !== undefined) return { config: await loadTrainingConfig(config) };
  const begun = seed === undefined ? await configOfRun(run) : undefined;
  return begun === undefined ? {} : { config: begun };
}

/** Does `fuzzqe run`; undefined where it served to the end. */
export async function runTriples(
  terminal: Terminal,
  triples: string,
  flags: RunFlags,
): Promise<NextCommand | undefined> {
  const out = flags.out ?? defaultOutput(flags.name ?? triples);
  const folders = pipelineFolders(out);
  const { steps, seed } = flags;
  const given = await configFor(folders.run, flags);
  const name = flags.name ?? basename(defaultOutput(triples));
  const meanwhile =
    flags.serve === true ? await createMeanwhileService(terminal, { name, port: flags.port }) : undefined;
  const report = reportPipeline(terminal, folders);
  const made = interruptible(terminal, (signal) =>
    pipeline({
      triples,
      import: importOptionsOf(flags),
      ...(flags.name === undefined ? {} : { name: flags.name }),
      out,
      ...given,
      ...(steps === undefined ? {} : { steps }),
      ...(flags.minutes === undefined ? {} : { minutes: flags.minutes }),
      ...(seed === undefined ? {} : { seed }),
      threads: flags.threads,
      ...(flags.facts === undefined ? {} : { facts: flags.facts }),
      ...(flags.refit === undefined ? {} : { refit: flags.refit }),
      ...(flags.runtimes === undefined ? {} : { runtimes: flags.runtimes }),
      onEvent(event) {
        report(event);
        if (event.kind === 'end' && event.stage === 'import') meanwhile?.begin(event.dataset, signal);
      },
      signal,
    }),
  );
  try {
    const { engine } = await made;
    const query = exampleQuery(engine);
    await engine.close();
    if (meanwhile === undefined) return ['query', folders.bundle, query];
  } catch (cause) {
    await meanwhile?.close();
    throw cause;
  }
  await meanwhile.serveBundle(folders.bundle);
  return undefined;
}
