import { createRandom, FuzzError, withoutSecrets } from '@fuzzqe/core';
import { instantiate, type Query, type StructureName, structureNames, structures } from '@fuzzqe/core/query';
import { sampleQueries } from '@fuzzqe/data';
import { type AnswerMode, createLocalRanker, type OpenBundle, openBundle } from '@fuzzqe/engine';
import { measureRecall, openEntityIndex, type Recall } from '@fuzzqe/entity-index';
import { bundleFolder, folderSource, nodeSessions, openIndexedRanker } from '@fuzzqe/serve';
import { formatColumns } from '../../terminal/columns.ts';
import { interruptible } from '../../terminal/interrupt.ts';
import type { NextCommand } from '../../terminal/next-command.ts';
import { createProgress } from '../../terminal/progress.ts';
import type { Terminal } from '../../terminal/terminal.ts';

/** What `fuzzqe index recall` was told. */
export interface RecallFlags {
  readonly index: string;
  readonly profile?: string;
  readonly structures?: readonly StructureName[];
  readonly queries: number;
  readonly k: number;
  readonly mode: AnswerMode;
  readonly seed: number;
  readonly json?: boolean;
}

interface StructureRecall extends Recall {
  readonly structure: StructureName;
}

/** Does `fuzzqe index recall`. */
export async function recallAt(terminal: Terminal, path: string, flags: RecallFlags): Promise<NextCommand> {
  const folder = await bundleFolder(path, { onNote: terminal.note });
  const { profile, index: address, k, mode } = flags;
  const bundle = await openBundle(folderSource(folder), profile === undefined ? {} : { profile });
  if (k > bundle.facts.entityCount)
    throw new FuzzError('range', `k: expected at most ${bundle.facts.entityCount} entities, got ${k}`, {
      path: '-k',
    });
  const { manifest, profileName } = bundle;
  const openIndex = () => openEntityIndex(address, { manifest, profile: profileName, checkEvery: 0 });
  const options = { sessions: nodeSessions(folder), plan: 'operators' as const };
  const exact = createLocalRanker(bundle, options);
  const indexed = await openIndexedRanker(bundle, { ...options, openIndex });
  const results: StructureRecall[] = [];
  const progress = createProgress(terminal, 'Comparing', 'queries');
  try {
    await interruptible(terminal, async (signal) => {
      const names = flags.structures ?? structureNames;
      for (const [i, structure] of names.entries()) {
        const queries = await drawQueries(bundle, structure, flags, signal);
        const onProgress = (done: number): void =>
          progress.update(i * flags.queries + done, names.length * flags.queries, structure);
        results.push({
          structure,
          ...(await measureRecall(queries, { exact, indexed }, { k, mode, signal, onProgress })),
        });
      }
    });
  } finally {
    await Promise.all([exact.close(), indexed.close()]);
  }
  terminal.status('');
  if (flags.json)
    terminal.out(
      JSON.stringify({ index: indexed.index!.name, k, mode, structures: results, all: totalOf(results) }),
    );
  else for (const line of describe(results, k, terminal.columns)) terminal.out(line);
  return ['serve', path, '--index', withoutSecrets(address)];
}

/** Queries that the recorded facts answer, as many as there are up to what is wanted. */
async function drawQueries(
  { facts }: OpenBundle,
  structure: StructureName,
  { queries: count, seed }: RecallFlags,
  signal: AbortSignal,
): Promise<Query[]> {
  const drawn = await sampleQueries({
    structure,
    count,
    smaller: null,
    larger: facts,
    maxAnswers: facts.entityCount,
    patience: 2000,
    random: createRandom('index recall', seed, structure),
    signal,
  });
  const { template, anchors, relations } = structures[structure];
  return Array.from({ length: drawn.count }, (_, i) =>
    instantiate(
      template,
      drawn.anchors.subarray(i * anchors, (i + 1) * anchors),
      drawn.relations.subarray(i * relations, (i + 1) * relations),
    ),
  );
}

/** Over all queries. */
function totalOf(results: readonly Recall[]): Recall {
  const queries = results.reduce((sum, each) => sum + each.queries, 0);
  const mean = (of: (recall: Recall) => number): number =>
    results.reduce((sum, each) => sum + each.queries * of(each), 0) / Math.max(1, queries);
  return {
    queries,
    recall: mean(({ recall }) => recall),
    whole: mean(({ whole }) => whole),
    milliseconds: {
      index: mean(({ milliseconds }) => milliseconds.index),
      exact: mean(({ milliseconds }) => milliseconds.exact),
    },
  };
}

function describe(results: readonly StructureRecall[], k: number, columns: number): string[] {
  const row = (name: string, { queries, recall, whole, milliseconds }: Recall): string[] => [
    name,
    `${queries}`,
    `${(100 * recall).toFixed(2)} %`,
    `${(100 * whole).toFixed(1)} %`,
    milliseconds.index.toFixed(2),
    milliseconds.exact.toFixed(2),
  ];
  const titles = ['structure', 'queries', `recall@${k}`, 'all found', 'ms by index', 'ms exact'];
  return formatColumns(
    titles.map((title, i) => ({ title, right: i > 0 })),
    [...results.map((each) => row(each.structure, each)), row('all', totalOf(results))],
    columns,
  );
}
