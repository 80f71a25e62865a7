import {
  type BundleSource,
  bundleFormatVersion,
  bundlePaths,
  edgeSignature,
  encodeFacts,
  encodePartitions,
  type Golden,
  type GoldenCase,
  type GraphEntry,
  type GraphSignature,
  graphDigest,
  linksSignature,
  type Manifest,
  operatorNames,
  operatorSignature,
  type Profile,
  prefixesPath,
  profileFiles,
  profileGraphs,
  programSignature,
  projectSetAtSignature,
  projectSetSignature,
  rankSignature,
  sealManifest,
  sha256Hex,
  structureSignature,
} from '@fuzzqe/bundle';
import {
  createKnowledgeGraph,
  createRandom,
  createVocabulary,
  FuzzError,
  type KnowledgeGraph,
  type NameEntry,
  type Vocabulary,
  writeEntitiesTsv,
  writePrefixesTsv,
  writeRelationsTsv,
} from '@fuzzqe/core';
import type { LogicName } from '@fuzzqe/core/logic';
import {
  hasCentroids,
  initialiseParameters,
  type ModelConfig,
  type Parameters,
  plainModel,
  type RelationFormName,
} from '@fuzzqe/core/model';
import { instantiate, structureNames, structures } from '@fuzzqe/core/query';
import { topK } from '@fuzzqe/core/ranking';
import {
  answerSets,
  type Calibration,
  calibrationValues,
  defaultCalibration,
  type LinkProbability,
  measurePartitions,
  type SetsState,
} from '@fuzzqe/core/sets';
import type { TensorValues } from '../sessions/session.ts';
import { createSessionCache } from '../sessions/session-cache.ts';
import { createSetGraphs } from '../sets/set-graphs.ts';
import { referenceGraphs } from './reference-graphs.ts';
import { referenceSessions } from './reference-sessions.ts';

/** A small bundle that lies in memory. */
export interface MemoryBundle {
  readonly source: BundleSource;
  readonly config: ModelConfig;
  readonly parameters: Parameters;
  readonly facts: KnowledgeGraph;
  readonly vocabulary: Vocabulary;
  readonly golden: Golden;
  /** The files by path; a test may replace one to damage the bundle. */
  readonly files: Map<string, Uint8Array>;
}

/** How large the bundle is, and in which logic. */
export interface MemoryBundleOptions {
  readonly logic?: LogicName;
  /** What relations are. Default `bases`. */
  readonly relationForm?: RelationFormName;
  readonly entities?: number;
  readonly facts?: number;
  /** Whether the prefix `ex:` stands for `e`. Default true. */
  readonly prefixes?: boolean;
  /** What the calibration differs in from the default. */
  readonly calibration?: Partial<Calibration>;
  /** How likely links are. Default: the bundle does not say. */
  readonly probability?: LinkProbability;
  /** Whether it counts as fitted. Default true. */
  readonly fitted?: boolean;
}

const relations = 6;
const weights = 'models/fp32/weights.bin';

/**
 * A bundle of random facts and weights with everything but ONNX graphs: for `referenceSessions`.
 *
 * Entities are `e0`, `e1`, … labelled `Entity 0`, …; relations `r0`, `r1`, `r2` labelled `relation 0`, ….
 */
export async function memoryBundle(options: MemoryBundleOptions = {}): Promise<MemoryBundle> {
  const { logic = 'product', entities = 40, facts: factCount = 120, fitted = true } = options;
  const { relationForm = 'bases' } = options;
  const isBlocks = relationForm === 'blocks';
  const config: ModelConfig = {
    ...{ entities, relations, ...plainModel, logic, relationForm, projectionInput: 'raw' },
    ...(isBlocks ? { entityNormalisation: 'l1' } : {}),
  };
  const calibration = { ...defaultCalibration, ...options.calibration };
  const random = createRandom('memory bundle', logic, entities);
  const start = initialiseParameters(config, random.fork('model'));
  // A start of blocks is nearly flat.
  const parameters: Parameters = isBlocks
    ? { entities: start.entities.map((x) => 7 * x), coefficients: start.coefficients.map((x) => 7 * x) }
    : start;
  const triples = Int32Array.from({ length: factCount * 3 }, (_, i) =>
    i % 3 === 1 ? random.below(relations / 2) * 2 : random.below(entities),
  );
  const facts = createKnowledgeGraph({ entityCount: entities, relationCount: relations, triples });
  const profile = profileOf(config);
  const files = new Map<string, Uint8Array>();
  const source = memorySource(files);
  const partitions = await partitionsOf(config, parameters, facts, calibration);
  const golden = await goldenOf({ source, config, parameters, profile, facts, partitions, calibration });

  const text = new TextEncoder();
  const prefixes = new Map(options.prefixes === false ? [] : [['ex', 'e']]);
  const names = {
    entities: namesOf('e', 'Entity', entities),
    relations: namesOf('r', 'relation', relations / 2),
    prefixes,
  };
  const contents: readonly (readonly [string, Uint8Array])[] = [
    [bundlePaths.card, text.encode('# Random weights\n')],
    [profile.golden, text.encode(JSON.stringify(golden))],
    [bundlePaths.entities, text.encode(writeEntitiesTsv(names.entities))],
    [bundlePaths.relations, text.encode(writeRelationsTsv(names.relations))],
    [bundlePaths.facts, encodeFacts(facts.forwardTriples())],
    [bundlePaths.partitions, encodePartitions(partitions)],
    [weights, new Uint8Array(4 * config.entities * config.dimension)],
  ];
  for (const [path, data] of contents) files.set(path, data);
  if (prefixes.size > 0) files.set(prefixesPath, text.encode(writePrefixesTsv(prefixes)));
  for (const graph of profileGraphs(profile)) files.set(graph.path, text.encode(graph.path));

  const bytes = profileFiles(profile).reduce((sum, path) => sum + files.get(path)!.length, 0);
  const manifest: Omit<Manifest, 'sha256'> = {
    format: 'fuzzqe-bundle',
    version: bundleFormatVersion,
    name: 'memory',
    model: config,
    data: {
      name: 'random',
      licence: 'Apache-2.0',
      sha256: await graphDigest(facts),
      edges: facts.edgeCount,
    },
    sets: {
      calibration,
      fitted: fitted ? { queries: '0'.repeat(64), each: 50, mrr: 0.3, defaultMrr: 0.2 } : null,
      probability: options.probability ?? null,
    },
    profiles: { fp32: { ...profile, bytes } },
    metrics: {},
    training: {},
    files: Object.fromEntries(
      await Promise.all(
        [...files].map(
          async ([path, data]) => [path, { bytes: data.length, sha256: await sha256Hex(data) }] as const,
        ),
      ),
    ),
  };
  files.set(bundlePaths.manifest, await sealManifest(manifest));
  return { source, config, parameters, facts, vocabulary: createVocabulary(names), golden, files };
}

function memorySource(files: ReadonlyMap<string, Uint8Array>): BundleSource {
  const fileAt = (path: string): Uint8Array => {
    const data = files.get(path);
    if (data === undefined) throw new FuzzError('bundle', 'expected a file, found none', { path });
    return data;
  };
  return {
    location: 'memory',
    read: async (path) => fileAt(path),
    async measure(path) {
      const data = fileAt(path);
      return { bytes: data.length, sha256: await sha256Hex(data) };
    },
  };
}

function namesOf(kind: string, label: string, count: number): NameEntry[] {
  return Array.from({ length: count }, (_, i) => ({ key: `${kind}${i}`, label: `${label} ${i}` }));
}

function profileOf(config: ModelConfig): Profile {
  const graph = (name: string, signature: GraphSignature): GraphEntry => ({
    path: `models/fp32/${name}.onnx`,
    weights: [weights],
    ...signature,
  });
  const names = hasCentroids(config) ? ([...operatorNames, 'centroid'] as const) : operatorNames;
  const operators = names.map((name) => [name, graph(name, operatorSignature(config, name))]);
  const structureGraphs = structureNames.map((name) => [name, graph(name, structureSignature(config, name))]);
  return {
    operators: Object.fromEntries(operators) as Profile['operators'],
    structures: Object.fromEntries(structureGraphs) as NonNullable<Profile['structures']>,
    program: graph('program', programSignature(config)),
    edge: graph('edge', edgeSignature(config)),
    rank: graph('rank', rankSignature(config)),
    links: graph('links', linksSignature(config)),
    projectSet: graph('projectSet', projectSetSignature(config)),
    projectSetAt: graph('projectSetAt', projectSetAtSignature(config)),
    bytes: 0,
    golden: 'models/fp32/golden.json',
    tolerances: {
      embedding: { absolute: 1e-6, relative: 1e-5 },
      score: { absolute: 1e-6, relative: 1e-5 },
      degree: { absolute: 5e-7, relative: 1e-5 },
    },
    quality: { reason: 'the weights are random' },
  };
}

/** z_r of every relation, by the float64 meaning of the model. */
async function partitionsOf(
  config: ModelConfig,
  parameters: Parameters,
  facts: KnowledgeGraph,
  calibration: Calibration,
): Promise<Float32Array> {
  const run = referenceGraphs(config, parameters)('partitions');
  return measurePartitions(facts, async (heads, relation) => {
    const recorded = new Float32Array(heads.length * config.entities);
    heads.forEach((head, row) => {
      for (const tail of facts.tails(head, relation)) recorded[row * config.entities + tail] = 1;
    });
    const dims = [heads.length];
    const { terms } = run({
      heads: { dims, data: heads },
      relations: { dims, data: new Int32Array(heads.length).fill(relation) },
      calibration: { dims: [3], data: calibrationValues(calibration) },
      recorded: { dims: [heads.length, config.entities], data: recorded },
    });
    return terms!.data;
  });
}

interface GoldenOptions extends SetsState {
  readonly source: BundleSource;
  readonly config: ModelConfig;
  readonly parameters: Parameters;
  readonly profile: Profile;
}

async function goldenOf(options: GoldenOptions): Promise<Golden> {
  const { source, config, parameters, profile, calibration } = options;
  const k = Math.min(10, config.entities);
  const random = createRandom('golden', config.logic);
  const sessions = createSessionCache(referenceSessions(config, parameters), source);
  const run = async (graph: GraphEntry, feeds: TensorValues): Promise<TensorValues> =>
    (await sessions.get(graph)).run(feeds);
  const setGraphs = createSetGraphs({
    model: config,
    calibration,
    run: (name, feeds) => run(profile[name], feeds),
  });
  const draw = (count: number, below: number): number[] =>
    Array.from({ length: count }, () => random.below(below));
  const allowed = { dims: [1, config.entities], data: new Float32Array(config.entities).fill(1) };
  const cases: GoldenCase[] = [];
  for (const structure of structureNames) {
    const { template, ...slots } = structures[structure];
    for (let repetition = 0; repetition < 3; repetition += 1) {
      const anchors = draw(slots.anchors, config.entities);
      const relations = draw(slots.relations, config.relations);
      const { embedding } = await run(profile.structures![structure], {
        anchors: { dims: [1, anchors.length], data: Int32Array.from(anchors) },
        relations: { dims: [1, relations.length], data: Int32Array.from(relations) },
      });
      const { ids, scores } = await run(profile.rank, {
        embedding: embedding!,
        allowed,
        k: { dims: [1], data: Int32Array.of(k) },
      });
      const [set] = await answerSets(setGraphs, options, [instantiate(template, anchors, relations)]);
      // As the exporter writes them: k of them, whatever degree the last have.
      const best = topK(set!.degrees, k);
      cases.push({
        structure,
        anchors,
        relations,
        embedding: Array.from(embedding!.data),
        ids: Array.from(ids!.data),
        scores: Array.from(scores!.data),
        sets: { ids: Array.from(best.ids), degrees: Array.from(best.scores) },
      });
    }
  }
  return { k, cases };
}
