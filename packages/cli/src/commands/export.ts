import { createRandom, type StructureName } from '@fuzzqe/core';
import { exportBundle, type GoldenQuery, randomGoldenQueries } from '@fuzzqe/export';
import { type Dataset, loadBest, queryRow, readDataset, type SampledQueries } from '@fuzzqe/train';
import type { Command } from 'commander';
import type { Terminal } from '../terminal/terminal.ts';
import { wholeNumber } from './options.ts';
import { readQueryPart } from './query-files.ts';

/** Golden queries of each structure in a bundle, and how many entities each of them lists. */
const goldenPerStructure = 4;
const goldenK = 10;

/** Adds `fuzzqe export`. */
export function addExportCommand(program: Command, terminal: Terminal): void {
  program
    .command('export <run>')
    .description('turn the best checkpoint of a run into a bundle of ONNX graphs')
    .requiredOption('--data <folder>', 'the data set that it was trained on')
    .requiredOption('--out <folder>', 'where the bundle goes; an older bundle there is replaced')
    .option('--name <name>', 'what to call it; the name of the data set without this')
    .option('--seed <n>', 'seed of golden queries where none were sampled', wholeNumber(0), 0)
    .option('--json', 'print the manifest as JSON')
    .addHelpText(
      'after',
      '\nExample:\n  fuzzqe export runs/countries --data data/countries --out bundles/countries',
    )
    .action(
      async (
        run: string,
        flags: { data: string; out: string; name?: string; seed: number; json?: boolean },
      ) => {
        const dataset = await readDataset(flags.data);
        const valid = await readQueryPart(flags.data, dataset, 'valid').catch(() => []);
        const manifest = await exportRun({
          run,
          dataset,
          valid,
          directory: flags.out,
          name: flags.name ?? dataset.name,
          metrics: {},
          seed: flags.seed,
        });
        const bytes = Object.values(manifest.files).reduce((sum, file) => sum + file.bytes, 0);
        if (flags.json) terminal.out(JSON.stringify(manifest));
        else
          terminal.note(
            `Wrote ${flags.out}: ${Object.keys(manifest.files).length} files, ${formatBytes(bytes)}`,
          );
      },
    );
}

/** What `exportRun` needs. */
export interface ExportTask {
  readonly run: string;
  readonly dataset: Dataset;
  /** Where golden queries are taken from; random ones stand in for structures that it lacks. */
  readonly valid: readonly SampledQueries[];
  readonly directory: string;
  readonly name: string;
  readonly metrics: Readonly<Record<string, unknown>>;
  readonly seed: number;
}

/** Exports the best parameters of a run. */
export async function exportRun(task: ExportTask): ReturnType<typeof exportBundle> {
  const { state, parameters } = await loadBest(task.run);
  const stand = randomGoldenQueries(state.model, goldenPerStructure, createRandom('golden', task.seed));
  const taken = task.valid.flatMap(goldenQueriesOf);
  const covered = new Set<StructureName>(taken.map(({ structure }) => structure));
  return exportBundle({
    directory: task.directory,
    name: task.name,
    config: state.model,
    parameters,
    vocabulary: task.dataset.vocabulary,
    graph: task.dataset.graphs().train,
    data: state.data,
    training: { ...state.config, step: state.best?.step },
    metrics: task.metrics,
    goldenQueries: [...taken, ...stand.filter(({ structure }) => !covered.has(structure))],
    k: Math.min(goldenK, state.model.entities),
  });
}

function goldenQueriesOf(queries: SampledQueries): GoldenQuery[] {
  return Array.from({ length: Math.min(goldenPerStructure, queries.count) }, (_, row) => {
    const { anchors, relations } = queryRow(queries, row);
    return { structure: queries.structure, anchors: Array.from(anchors), relations: Array.from(relations) };
  });
}

/** `4.2 MB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 1e3) return `${bytes} B`;
  if (bytes < 1e6) return `${(bytes / 1e3).toFixed(0)} kB`;
  return bytes < 1e9 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e9).toFixed(2)} GB`;
}
