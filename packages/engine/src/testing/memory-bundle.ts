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
  profileTolerances,
  programSignature,
  projectSetSignature,
  rankSignature,
  sealManifest,
  sha256Hex,
  structureSignature,
} from '@fuzzqe/core/bundle';
import type { LogicName } from '@fuzzqe/core/logic';
import { initialiseParameters, type ModelConfig, type Parameters, plainModel } from '@fuzzqe/core/model';
import { structureNames, structures } from '@fuzzqe/core/query';
import { defaultCalibration } from '@fuzzqe/core/sets';
import type { TensorValues } from '../session.ts';
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
  readonly entities?: number;
  readonly facts?: number;
  /** Without the program graph and the edge graph, as an earlier writer left a bundle. */
  readonly older?: boolean;
}

/**
 * A bundle of random facts and weights with everything but ONNX graphs: for `referenceSessions`.
 *
 * Entities are `e0`, `e1`, … labelled `Entity 0`, …; relations `r0`, `r1`, `r2` labelled `relation 0`, …. The
 * prefix `ex:` stands for `e`, but in an older bundle.
 */
export async function memoryBundle(options: MemoryBundleOptions = {}): Promise<MemoryBundle> {
  const { logic = 'product', entities = 40, facts: factCount = 120, older = false } = options;
  const relations = 6;
  const config: ModelConfig = {
    entities,
    relations,
    ...plainModel,
    logic,
    projectionInput: 'raw',
  };
  const random = createRandom('memory bundle', logic, entities);
  const parameters = initialiseParameters(config, random.fork('model'));
  const triples = Int32Array.from({ length: factCount * 3 }, (_, i) =>
    i % 3 === 1 ? random.below(relations / 2) * 2 : random.below(entities),
  );
  const facts = createKnowledgeGraph({ entityCount: entities, relationCount: relations, triples });
  const profile = profileOf(config);
  const files = new Map<string, Uint8Array>();
  const source = memorySource(files);
  const golden = await goldenOf(source, config, parameters, profile);

  const text = new TextEncoder();
  const names = {
    entities: namesOf('e', 'Entity', entities),
    relations: namesOf('r', 'relation', relations / 2),
    prefixes: older ? new Map<string, string>() : new Map([['ex', 'e']]),
  };
  const contents: readonly (readonly [string, Uint8Array])[] = [
    [bundlePaths.card, text.encode('# Random weights\n')],
    ['models/fp32/golden.json', text.encode(JSON.stringify(golden))],
    [bundlePaths.partitions, encodePartitions(new Float32Array(relations))],
    [bundlePaths.entities, text.encode(writeEntitiesTsv(names.entities))],
    [bundlePaths.relations, text.encode(writeRelationsTsv(names.relations))],
    [bundlePaths.facts, encodeFacts(facts.forwardTriples())],
    ['models/fp32/weights.bin', text.encode('weights')],
  ];
  for (const [path, data] of contents) files.set(path, data);
  if (!older) files.set(prefixesPath, text.encode(writePrefixesTsv(names.prefixes)));
  for (const graph of graphsOf(profile)) files.set(graph.path, text.encode(graph.path));

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
    profiles: { fp32: profile },
    sets: { calibration: defaultCalibration, fitted: null, probability: null },
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

/** Every graph of a profile. */
export function graphsOf({ operators, structures: own, program, edge }: Profile): GraphEntry[] {
  const optional = [program, edge].filter((graph) => graph !== undefined);
  return [...Object.values(operators), ...Object.values(own), ...optional];
}

function profileOf(config: ModelConfig): Profile {
  const graph = (name: string, signature: GraphSignature): GraphEntry => ({
    path: `models/fp32/${name}.onnx`,
    weights: ['models/fp32/weights.bin'],
    ...signature,
  });
  const operators = operatorNames.map((name) => [name, graph(name, operatorSignature(config, name))]);
  const structureGraphs = structureNames.map((name) => [name, graph(name, structureSignature(config, name))]);
  return {
    operators: Object.fromEntries(operators) as Profile['operators'],
    structures: Object.fromEntries(structureGraphs) as Profile['structures'],
    program: graph('program', programSignature(config)),
    edge: graph('edge', edgeSignature(config)),
    rank: graph('rank', rankSignature(config)),
    links: graph('links', linksSignature(config)),
    projectSet: graph('projectSet', projectSetSignature(config)),
    bytes: 0,
    golden: 'models/fp32/golden.json',
    tolerances: profileTolerances.fp32,
    quality: { reason: 'nothing was measured' },
  };
}

async function goldenOf(
  source: BundleSource,
  config: ModelConfig,
  parameters: Parameters,
  profile: Profile,
): Promise<Golden> {
  const k = 10;
  const random = createRandom('golden', config.logic);
  const sessions = referenceSessions(config, parameters);
  const draw = (count: number, below: number): number[] =>
    Array.from({ length: count }, () => random.below(below));
  const cases: GoldenCase[] = [];
  for (const structure of structureNames) {
    const session = await sessions.open(profile.structures[structure], source);
    for (let repetition = 0; repetition < 3; repetition += 1) {
      const anchors = draw(structures[structure].anchors, config.entities);
      const relations = draw(structures[structure].relations, config.relations);
      const outputs: TensorValues = await session.run({
        anchors: { dims: [1, anchors.length], data: Int32Array.from(anchors) },
        relations: { dims: [1, relations.length], data: Int32Array.from(relations) },
        k: { dims: [1], data: Int32Array.of(k) },
      });
      const [embedding, ids, scores] = ['embedding', 'ids', 'scores'].map((name) =>
        Array.from(outputs[name]!.data),
      );
      cases.push({
        structure,
        anchors,
        relations,
        embedding: embedding!,
        ids: ids!,
        scores: scores!,
        sets: null,
      });
    }
  }
  return { k, cases };
}
