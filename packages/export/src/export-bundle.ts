import { join } from 'node:path';
import {
  bundleFormatVersion,
  bundlePaths,
  encodeFacts,
  FuzzError,
  formatQuery,
  graphDigest,
  instantiate,
  type KnowledgeGraph,
  type Manifest,
  type ModelConfig,
  type NameEntry,
  type Parameters,
  parseManifest,
  structures,
  type Vocabulary,
  writeEntitiesTsv,
  writeRelationsTsv,
} from '@fuzzqe/core';
import { type CardExample, modelCard } from './card/model-card.ts';
import { type FolderWriter, folderWriter } from './files/folder-writer.ts';
import { profileFolder, weightsFile, writeGraphs } from './files/graph-files.ts';
import { replaceFolder } from './files/replace-folder.ts';
import { goldenCases } from './golden/golden-cases.ts';
import { checkGoldenQueries, type GoldenQuery } from './golden/golden-query.ts';
import { checkParameters } from './weights/check-parameters.ts';
import { materialise } from './weights/materialise.ts';
import { weightsBytes, weightsLayout } from './weights/weights-file.ts';
import { openWeights } from './weights/weights-reader.ts';

/** What a bundle is made of. */
export interface ExportOptions {
  /** Where the bundle goes: a new or empty folder, or a bundle that it replaces. */
  readonly directory: string;
  readonly name: string;
  readonly config: ModelConfig;
  readonly parameters: Parameters;
  readonly vocabulary: Vocabulary;
  /** The recorded facts, those that the model was trained on. */
  readonly graph: KnowledgeGraph;
  readonly data: {
    readonly name: string;
    readonly licence: string;
    /** `graphDigest` of the graph that the model was trained on; compared with `graph` where it is given. */
    readonly sha256?: string;
  };
  /** The configuration of the training run. */
  readonly training: Readonly<Record<string, unknown>>;
  /** What was measured; empty where nothing was. */
  readonly metrics: Readonly<Record<string, unknown>>;
  /** At least one of each structure. */
  readonly goldenQueries: readonly GoldenQuery[];
  /** How many entities a golden case lists. In [1, |E|]. */
  readonly k: number;
}

/** float32 against float64 over a few hundred to a thousand terms, with room for another order of summation. */
const tolerance = { absolute: 1e-5, relative: 1e-4 } as const;
const profile = 'fp32';

/**
 * Writes a bundle: graphs, weights, names, facts, golden cases, model card and manifest.
 *
 * It appears whole or not at all, and the same input gives the same bytes. Memory: the parameters, the entity table
 * twice in float64, and one W_r; relation weights are computed and written one after the other.
 *
 * @throws FuzzError `checkpoint`: parameters of another size or not finite, or trained on another graph. `usage`,
 * `range`: vocabulary, graph, golden queries or k do not fit the model, or the folder holds something else.
 * `data`: the disk refuses.
 */
export async function exportBundle(options: ExportOptions): Promise<Manifest> {
  const { config, parameters, graph } = options;
  checkParameters(config, parameters);
  checkCounts(options);
  checkGoldenQueries(config, options.goldenQueries);
  const digest = await checkGraph(options);

  return replaceFolder(options.directory, async (temporary) => {
    const writer = folderWriter(temporary);
    const layout = weightsLayout(config);
    const weightsPath = `${profileFolder(profile)}/${weightsFile}`;
    await writer.write(weightsPath, weightsBytes(layout, materialise(config, parameters)));
    const graphs = await writeGraphs(writer, config, profile, layout);
    await writeNames(writer, options.vocabulary);
    await writer.write(bundlePaths.facts, encodeFacts(graph.forwardTriples()));

    const weights = await openWeights(join(temporary, weightsPath), config, layout);
    try {
      const golden = await goldenCases(config, weights, options.goldenQueries, options.k);
      await writer.write(bundlePaths.golden, `${JSON.stringify(golden)}\n`);
    } finally {
      await weights.close();
    }

    const described: Omit<Manifest, 'files'> = {
      format: 'fuzzqe-bundle',
      version: bundleFormatVersion,
      name: options.name,
      model: config,
      data: {
        name: options.data.name,
        licence: options.data.licence,
        sha256: digest,
        edges: graph.edgeCount,
      },
      profiles: { [profile]: graphs },
      tolerances: { embedding: tolerance, score: tolerance },
      metrics: options.metrics,
      training: options.training,
    };
    await writer.write(
      bundlePaths.card,
      modelCard({ ...described, files: writer.files }, cardExample(options)),
    );
    const text = `${JSON.stringify({ ...described, files: sorted(writer.files) }, null, 2)}\n`;
    // What was written is what a reader will accept, or nothing is written.
    const manifest = parseManifest(JSON.parse(text));
    await writer.write(bundlePaths.manifest, text);
    return manifest;
  });
}

function checkCounts({ config, vocabulary, graph, k }: ExportOptions): void {
  for (const [what, count, source] of [
    ['entities', vocabulary.entityCount, 'vocabulary'],
    ['entities', graph.entityCount, 'graph'],
    ['relations', vocabulary.relationCount, 'vocabulary'],
    ['relations', graph.relationCount, 'graph'],
  ] as const)
    if (count !== config[what])
      throw new FuzzError('usage', `expected ${config[what]} ${what} as in the model, got ${count}`, {
        path: source,
        hint: 'Inverse relations count; give the vocabulary and the graph that the model was trained on.',
      });
  if (!Number.isInteger(k) || k < 1 || k > config.entities)
    throw new FuzzError('range', `expected an integer in [1, ${config.entities}], got ${k}`, { path: 'k' });
}

async function checkGraph({ graph, data }: ExportOptions): Promise<string> {
  const digest = await graphDigest(graph);
  if (data.sha256 !== undefined && data.sha256 !== digest)
    throw new FuzzError(
      'checkpoint',
      `trained on a graph with sha256 ${data.sha256}, got one with ${digest}`,
      {
        path: 'data.sha256',
        hint: 'Give the graph that the model was trained on, or train it on this one.',
      },
    );
  return digest;
}

function cardExample({ goldenQueries, vocabulary }: ExportOptions): CardExample {
  const { anchors, relations } = goldenQueries.find(({ structure }) => structure === '1p')!;
  const text = formatQuery(instantiate(structures['1p'].template, anchors, relations), vocabulary);
  return { anchor: anchors[0]!, relation: relations[0]!, text };
}

async function writeNames(writer: FolderWriter, vocabulary: Vocabulary): Promise<void> {
  const { entityCount, relationCount } = vocabulary;
  const entities = Array.from({ length: entityCount }, (_, id): NameEntry => vocabulary.entity(id));
  const relations = Array.from(
    { length: relationCount / 2 },
    (_, forward): NameEntry => vocabulary.relation(2 * forward),
  );
  await writer.write(bundlePaths.entities, writeEntitiesTsv(entities));
  await writer.write(bundlePaths.relations, writeRelationsTsv(relations));
}

function sorted<T>(record: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));
}
