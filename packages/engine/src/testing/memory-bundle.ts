import {
  type BundleSource,
  bundleFormatVersion,
  bundlePaths,
  edgeSignature,
  encodeFacts,
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
  rankSignature,
  sealManifest,
  sha256Hex,
  structureSignature,
} from '@fuzzqe/bundle';
import {
  createKnowledgeGraph,
  createRandom,
  FuzzError,
  type KnowledgeGraph,
  type NameEntry,
  type Vocabulary,
} from '@fuzzqe/core';
import type { LogicName } from '@fuzzqe/core/logic';
import { instantiate, structureNames, structures } from '@fuzzqe/core/query';
import { topK } from '@fuzzqe/core/ranking';
import { answerSets, createSetLogic, defaultProjection, type ProjectionSettings } from '@fuzzqe/core/sets';
import {
  createLinkDegrees,
  createRuleIndex,
  defaultWeights,
  type LinkWeights,
  type Rule,
  type RuleSet,
  writeEvidence,
  writeRules,
} from '@fuzzqe/evidence';
import {
  type FamilyName,
  hasCentroids,
  initialiseParameters,
  type ModelConfig,
  type Parameters,
  plainModel,
} from '@fuzzqe/model';
import { createVocabulary, writeEntitiesTsv, writePrefixesTsv, writeRelationsTsv } from '@fuzzqe/names';
import type { TensorValues } from '../sessions/session.ts';
import { createSessionCache } from '../sessions/session-cache.ts';
import { createLinkScores } from '../sets/link-scores.ts';
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
  readonly relationForm?: FamilyName;
  readonly entities?: number;
  readonly facts?: number;
  /** Whether the prefix `ex:` stands for `e`. Default true. */
  readonly prefixes?: boolean;
  /** What the settings of projections differ in from the default. */
  readonly projection?: Partial<ProjectionSettings>;
  /** What joins the evidence of links. Default: weights that trust the model. */
  readonly weights?: LinkWeights;
  /** Default: a rule of each form, where the bundle has the entities. */
  readonly rules?: readonly Rule[];
  /** How much the model counts in likeness. Default 0. */
  readonly likeness?: number;
  /** Whether it counts as fitted. Default true. */
  readonly fitted?: boolean;
}

const relations = 6;
/** A rule of each form. */
const someRules: readonly Rule[] = [
  { kind: 'path', relation: 0, path: [2], hits: 6, predictions: 9 },
  { kind: 'path', relation: 0, path: [4, 3], hits: 3, predictions: 20 },
  { kind: 'constant', relation: 2, tail: 5, body: { relation: 4, tail: 3 }, hits: 4, predictions: 5 },
];
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
  const projection = { ...defaultProjection, ...options.projection };
  const evidence = {
    weights: options.weights ?? defaultWeights(relations, { temperature: isBlocks ? 1 : 20 }),
    rules: {
      relationCount: relations,
      rules: options.rules ?? someRules.filter((rule) => rule.kind === 'path' || rule.tail < entities),
    },
  };
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
  const goldenText = await onceFor(options, () =>
    goldenOf({ source, config, parameters, profile, facts, evidence, projection }),
  );

  const text = new TextEncoder();
  const prefixes = new Map(options.prefixes === false ? [] : [['ex', 'e']]);
  const names = {
    entities: namesOf('e', 'Entity', entities),
    relations: namesOf('r', 'relation', relations / 2),
    prefixes,
  };
  const contents: readonly (readonly [string, Uint8Array])[] = [
    [bundlePaths.card, text.encode('# Random weights\n')],
    [profile.golden, text.encode(goldenText)],
    [bundlePaths.entities, text.encode(writeEntitiesTsv(names.entities))],
    [bundlePaths.relations, text.encode(writeRelationsTsv(names.relations))],
    [bundlePaths.facts, encodeFacts(facts.forwardTriples())],
    [bundlePaths.evidence, text.encode(writeEvidence(evidence.weights))],
    [
      bundlePaths.rules,
      text.encode(writeRules(evidence.rules, { entityCount: entities, relationCount: relations })),
    ],
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
      ...(options.likeness === undefined ? {} : { likeness: options.likeness }),
      projection,
      fitted: fitted ? { links: 100, candidates: 5000, found: 60, knownShare: 0.5 } : null,
      reliability: null,
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
  return {
    source,
    config,
    parameters,
    facts,
    vocabulary: createVocabulary(names),
    golden: JSON.parse(goldenText),
    files,
  };
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

interface GoldenOptions {
  readonly source: BundleSource;
  readonly config: ModelConfig;
  readonly parameters: Parameters;
  readonly profile: Profile;
  readonly facts: KnowledgeGraph;
  readonly evidence: { readonly weights: LinkWeights; readonly rules: RuleSet };
  readonly projection: ProjectionSettings;
}

const goldenTexts = new Map<string, Promise<string>>();

/** Golden cases as JSON, computed once for the same options: tests open a few bundles often, and the cases take longer than the rest. */
function onceFor(options: MemoryBundleOptions, compute: () => Promise<Golden>): Promise<string> {
  const key = JSON.stringify(options);
  const text = goldenTexts.get(key) ?? compute().then((golden) => JSON.stringify(golden));
  goldenTexts.set(key, text);
  return text;
}

async function goldenOf(options: GoldenOptions): Promise<Golden> {
  const { source, config, parameters, profile, facts, evidence, projection } = options;
  const k = Math.min(10, config.entities);
  const random = createRandom('golden', config.logic);
  const sessions = createSessionCache(referenceSessions(config, parameters), source);
  const run = async (graph: GraphEntry, feeds: TensorValues): Promise<TensorValues> =>
    (await sessions.get(graph)).run(feeds);
  const scores = createLinkScores({ model: config, run: (feeds) => run(profile.links, feeds) });
  const rules = createRuleIndex(evidence.rules);
  const state = {
    links: createLinkDegrees({ facts, rules, weights: evidence.weights, scores }),
    logic: createSetLogic(config.logic),
    projection,
    facts,
  };
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
      const { ids, scores: best } = await run(profile.rank, {
        embedding: embedding!,
        allowed,
        k: { dims: [1], data: Int32Array.of(k) },
      });
      const [set] = await answerSets(state, [instantiate(template, anchors, relations)]);
      // As the exporter writes them: k of them, whatever degree the last have.
      const top = topK(set!.degrees, k);
      cases.push({
        structure,
        anchors,
        relations,
        embedding: Array.from(embedding!.data),
        ids: Array.from(ids!.data),
        scores: Array.from(best!.data),
        sets: { ids: Array.from(top.ids), degrees: Array.from(top.scores) },
      });
    }
  }
  return { k, cases };
}
