import { join } from 'node:path';
import { createRandom, FuzzError } from '@fuzzqe/core';
import { readDataset } from '@fuzzqe/data';
import { type RuleSet, readRules } from '@fuzzqe/evidence';
import { type MiningProgress, mineRules } from '@fuzzqe/evidence/mining';
import { pathExists, readWholeFile } from '@fuzzqe/files';
import { bundleFolder } from '@fuzzqe/serve';
import type { NamedGraph } from '../names/example-query.ts';
import { openNamedGraph } from '../names/named-graph.ts';

/** Rules with the graph that they are of. */
export interface OpenedRules extends NamedGraph {
  readonly set: RuleSet;
  /** Where the rules come from, for people. */
  readonly source: string;
}

/** How to open rules. */
export interface OpenRulesOptions {
  /** The data set of a run, which holds no names of its own. */
  readonly data?: string;
  /** How long the rules of a data set are mined. */
  readonly seconds: number;
  readonly seed: number;
  /** Threads next to this one. */
  readonly workers: number;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: MiningProgress) => void;
  readonly onNote?: (line: string) => void;
}

/** The file of rules in a run and in a bundle. */
const rulesFile = 'rules.tsv';

/**
 * Opens the rules of a bundle or a run, and mines those of a data set from all of its facts.
 *
 * @throws FuzzError `usage`: a run without its data set, or a data set for something else. `data`: rules that are damaged or of another
 *   graph. `bundle`: neither a bundle nor a run nor a data set, or a bundle without rules. `interrupted`: the signal was raised.
 */
export async function openRules(path: string, options: OpenRulesOptions): Promise<OpenedRules> {
  const { data, onNote = () => {} } = options;
  const isRun = await pathExists(join(path, 'state.json'));
  if (isRun) {
    if (data === undefined)
      throw new FuzzError(
        'usage',
        'rules of a run: expected --data, the data set with its names, got nothing',
        {
          path,
          hint: 'Add --data with the folder that the run was trained on.',
        },
      );
    const { vocabulary, graphs } = await readDataset(data);
    return readRulesOf(path, { vocabulary, facts: graphs().train });
  }
  if (data !== undefined)
    throw new FuzzError('usage', '--data: expected only with a run, got another folder', {
      path,
      hint: 'Leave --data out: bundles and data sets have their names.',
    });
  const graph = await openNamedGraph(path, {}, onNote);
  return graph.isBundle
    ? readRulesOf(await bundleFolder(path, { onNote }), graph)
    : mineRulesOf(graph, options);
}

async function readRulesOf(folder: string, graph: NamedGraph): Promise<OpenedRules> {
  const path = join(folder, rulesFile);
  if (!(await pathExists(path)))
    throw new FuzzError('bundle', 'expected a file of rules, got none', {
      path,
      hint: 'Give the data set, whose rules are mined at once, or train and export again.',
    });
  const { entityCount, relationCount } = graph.vocabulary;
  const text = new TextDecoder().decode(await readWholeFile(path));
  const set = readRules(text, { entityCount, relationCount, path });
  return { vocabulary: graph.vocabulary, facts: graph.facts, set, source: path };
}

async function mineRulesOf(
  { vocabulary, facts }: NamedGraph,
  { seconds, seed, workers, signal, onProgress }: OpenRulesOptions,
): Promise<OpenedRules> {
  const set = await mineRules(facts, {
    random: createRandom('rules', seed),
    ...{ seconds, workers },
    ...(signal === undefined ? {} : { signal }),
    ...(onProgress === undefined ? {} : { onProgress }),
  });
  const rounds =
    set.rounds === 0
      ? 'part of a round: --seconds ended'
      : set.rounds === 1
        ? '1 round'
        : `${set.rounds} rounds`;
  return { vocabulary, facts, set, source: `mined from ${facts.edgeCount / 2} facts in ${rounds}` };
}
