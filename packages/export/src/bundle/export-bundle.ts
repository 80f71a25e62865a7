import {
  type AnswerMode,
  aliasesPath,
  attributesPath,
  attributeValuesPath,
  bundleFormatVersion,
  bundlePaths,
  edgeMemory,
  encodeFacts,
  entailedPath,
  graphDigest,
  type Manifest,
  manyEntities,
  parseManifest,
  prefixesPath,
  provenancePath,
  type SetsEntry,
  sealManifest,
  setsEntrySchema,
} from '@fuzzqe/bundle';
import {
  type EntityRows,
  expectOptions,
  FuzzError,
  type KnowledgeGraph,
  type NameEntry,
  schema,
  type Vocabulary,
} from '@fuzzqe/core';
import { entailedGraph, featureCount, readEvidence, writeEvidence, writeRules } from '@fuzzqe/evidence';
import { writeTexts } from '@fuzzqe/files';
import {
  type Attributes,
  entitiesTsvTexts,
  noAttributes,
  provenancesOf,
  provenanceTexts,
  withProvenances,
  writeAttributeColumns,
  writePrefixesTsv,
  writeRelationsTsv,
} from '@fuzzqe/names';
import { hubAttributes, hubAttributesPath, hubFrontMatter } from '../card/hub-front-matter.ts';
import { modelCard, type TrainedFacts } from '../card/model-card.ts';
import { type CardExample, cardExampleOf } from '../card/use-section.ts';
import { type FolderWriter, folderWriter } from '../files/folder-writer.ts';
import { replaceFolder } from '../files/replace-folder.ts';
import { storedModel } from '../files/stored-model.ts';
import { checkGoldenQueries } from '../golden/golden-query.ts';
import { checkProfiles } from '../profiles/profiles.ts';
import { defaultProfile } from '../targets/default-profile.ts';
import { splitFiles } from '../targets/split-files.ts';
import { checkTarget, targets } from '../targets/target.ts';
import { checkParameters } from '../weights/check-parameters.ts';
import { throwIfAborted } from '../weights/write-weights.ts';
import { checkSize, profileSize } from './check-size.ts';
import type { ExportOptions, RecordedFacts, SetsOptions } from './export-options.ts';
import { writeProfiles } from './write-profiles.ts';

/**
 * Writes a bundle: graphs, weights, names, facts, golden cases, model card and manifest.
 *
 * It appears whole or not at all, and the same input gives the same bytes. Memory: the parameters, the entity table
 * three times in float64, and a few W_r; relation weights are computed and written one after the other.
 *
 * @throws FuzzError `checkpoint`: parameters of another size or not finite, or trained on another graph, or numbers
 * that a profile cannot hold. `usage`, `range`: vocabulary, graph, golden queries, evidence, k or a profile do not fit the model, parts would be no whole number of bytes,
 * the bundle would be too large, or the folder holds something else. `storage`: the disk refuses. `interrupted`: the
 * signal was raised.
 * @example
 * const manifest = await exportBundle({
 *   ...trained,
 *   directory: 'bundles/mine',
 *   name: 'mine',
 *   data: { name: 'mine', licence: 'CC0-1.0' },
 *   training: {},
 *   metrics: {},
 *   sets: defaultSets(trained.config),
 *   goldenQueries: randomGoldenQueries(trained.config, 4, createRandom('golden', 0)),
 *   k: 10,
 * });
 */
export async function exportBundle(given: ExportOptions): Promise<Manifest> {
  expectOptions('exportBundle', given, [
    'directory',
    'name',
    'config',
    'parameters',
    'vocabulary',
    'graph',
    'data',
    'training',
    'metrics',
    'goldenQueries',
    'k',
  ]);
  const options = withDegrees(forTarget(given));
  const { config, parameters, graph, recorded } = options;
  if (options.name.trim() === '')
    throw new FuzzError('usage', 'name: expected one, got an empty text', {
      hint: 'A server answers for a model by its name.',
    });
  checkParameters(config, parameters);
  checkCounts(options);
  checkGoldenQueries(config, options.goldenQueries);
  const sets = checkSets(options);
  const digest = await checkGraph(options);

  const { profiles: names, target } = options;
  const { hub } = targets[target];
  const { partBytes = targets[target].partBytes } = options;
  checkPartBytes(partBytes);
  checkProfiles(config, names);
  checkTarget(target, names);
  throwIfAborted(options.signal);

  return replaceFolder(options.directory, async (temporary) => {
    const writer = folderWriter(temporary);
    try {
      await writeNames(writer, options.vocabulary);
      await writeAttributes(writer, options.attributes);
      const facts = encodeFacts((recorded?.graph ?? graph).forwardTriples());
      const weightsText = writeEvidence(options.sets.weights);
      const { entities: entityCount, relations: relationCount } = config;
      const rulesText = writeRules(options.sets.rules, { entityCount, relationCount });
      const { provenances } = options;
      // Piece by piece: a string has at most some 500 million characters.
      const provenanceBytes =
        provenances && Buffer.concat(Array.from(provenanceTexts(provenances), (text) => Buffer.from(text)));
      const evidence = [
        [bundlePaths.evidence, weightsText],
        [bundlePaths.rules, rulesText],
      ] as const;
      const limitBytes = async (rest: number, isWhole: boolean): Promise<void> => {
        const { maxBytes } = options;
        if (maxBytes !== undefined)
          await checkSize(config, { maxBytes, chosen: names, target: targets[target], rest, isWhole });
      };
      // Before the long part, with what is known; once more when everything is.
      await limitBytes(bytesOf(writer.files) + facts.length, false);
      // Golden answers are by the weights that readers of the bundle have.
      const weights = readEvidence(weightsText, config.relations);
      const profiles = await writeProfiles(temporary, writer, {
        ...options,
        sets: { ...options.sets, weights },
      });
      const memory = options.memory ?? targets[target].memory;
      const onlyMode = factsFit(
        { model: config, files: writer.files, profiles },
        {
          facts: facts.length + (provenanceBytes?.length ?? 0),
          rules: Buffer.byteLength(rulesText),
        },
        memory,
      )
        ? undefined
        : ('embedding' satisfies AnswerMode);
      if (onlyMode === undefined) {
        await writer.write(bundlePaths.facts, facts);
        for (const [path, text] of evidence) await writer.write(path, text);
        if (provenanceBytes !== undefined) await writer.write(provenancePath, provenanceBytes);
        const entailed = entailedGraph(recorded?.graph ?? graph, options.vocabulary);
        if (entailed !== undefined) await writer.write(entailedPath, encodeFacts(entailed.forwardTriples()));
      }

      const described: Omit<Manifest, 'files' | 'sha256'> = {
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
        sets,
        ...(onlyMode === undefined ? {} : { modes: [onlyMode] }),
        profiles,
        metrics: options.metrics,
        training:
          recorded === undefined
            ? options.training
            : { ...options.training, facts: countFacts(graph, recorded) },
      };
      const card = modelCard({ ...described, files: writer.files }, cardExample(options));
      await writer.write(bundlePaths.card, hub ? `${hubFrontMatter(described)}\n${card}` : card);
      const whole = { ...writer.files };
      // Of the system that stores the folder, as its name says, and so of no bundle.
      if (hub) await writer.write(hubAttributesPath, hubAttributes);
      const files = await splitFiles(temporary, whole, writer, partBytes);
      const sealed = await sealManifest({ ...described, model: storedModel(config), files: sorted(files) });
      // What was written is what a reader will accept, or nothing is written.
      const manifest = parseManifest(JSON.parse(new TextDecoder().decode(sealed)));
      await writer.write(bundlePaths.manifest, sealed);
      const total = bytesOf(whole) + sealed.length;
      if (total > (options.maxBytes ?? total)) {
        const sizes = await Promise.all(names.map((name) => profileSize(config, name, targets[target])));
        await limitBytes(total - sizes.reduce((sum, size) => sum + size, 0), true);
      }
      throwIfAborted(options.signal);
      return manifest;
    } finally {
      await writer.abandon();
    }
  });
}

/** Options in which recorded facts have the degrees that the data say, and of what is said that of recorded facts. */
function withDegrees<Of extends ExportOptions>(options: Of): Of {
  const { graph, recorded } = options;
  const facts = recorded?.graph ?? graph;
  const provenances = options.provenances && provenancesOf(options.provenances, facts.has);
  if (provenances === undefined) return { ...options, provenances };
  const sure = withProvenances(facts, provenances);
  const replaced = recorded === undefined ? { graph: sure } : { recorded: { ...recorded, graph: sure } };
  return { ...options, validationFacts: options.validationFacts ?? graph, ...replaced, provenances };
}

/** Whether a bundle takes no more memory with its facts and rules than there is; they stay where it takes more without them as well. */
function factsFit(
  { model, files, profiles }: Pick<Manifest, 'model' | 'files' | 'profiles'>,
  bytes: Readonly<Record<'facts' | 'rules', number>>,
  memory: number,
): boolean {
  const added: Manifest['files'] = {
    [bundlePaths.facts]: { bytes: bytes.facts, sha256: '' },
    [bundlePaths.rules]: { bytes: bytes.rules, sha256: '' },
  };
  const [profile] = Object.values(profiles);
  const takes = (part: Pick<Manifest, 'files' | 'modes'>): number =>
    edgeMemory({ model, ...part }, profile!).total;
  return (
    memory === Number.POSITIVE_INFINITY ||
    takes({ files: { ...files, ...added } }) <= memory ||
    takes({ files, modes: ['embedding'] }) > memory
  );
}

/** Options with what the target says: its profile where none is named, and as many golden queries as it keeps. */
function forTarget(
  options: ExportOptions,
): ExportOptions & Required<Pick<ExportOptions, 'profiles' | 'target'>> {
  const { target = 'node', goldenQueries } = options;
  const { goldenEach } = targets[target];
  // Each takes time for every entity, in float64: one of each structure is what readiness asks for.
  const most = options.config.entities > manyEntities ? 1 : goldenEach;
  const kept = new Map<string, number>();
  return {
    ...options,
    target,
    profiles: options.profiles ?? [defaultProfile(options.config, target)],
    goldenQueries: goldenQueries.filter(({ structure }) => {
      const count = (kept.get(structure) ?? 0) + 1;
      kept.set(structure, count);
      return count <= most;
    }),
  };
}

/**
 * The part of the manifest on answers in mode `sets`.
 *
 * @throws FuzzError `usage`: no evidence, numbers out of their ranges, or evidence of another graph.
 */
function checkSets({ config: { relations }, sets }: ExportOptions): SetsEntry {
  // Asked for by type; programs in JavaScript have no types.
  const given: Partial<SetsOptions> = sets ?? {};
  const { weights, rules, ...entry } = given;
  const refuse = (path: string, expected: string, got: unknown): never => {
    throw new FuzzError('usage', `expected ${expected}, got ${got}`, {
      path,
      hint: 'Fit evidence with `fuzzqe calibrate`, or take `defaultSets` for a model without calibration.',
    });
  };
  if (weights === undefined || rules === undefined)
    return refuse('sets', 'weights of evidence and rules', Object.keys(given).join(', ') || 'nothing');
  if (weights.relations.length !== relations * featureCount)
    refuse('sets.weights', `those of ${relations} relations`, weights.relations.length / featureCount);
  const bad = weights.relations.find((weight) => !Number.isFinite(weight));
  if (bad !== undefined) refuse('sets.weights', 'finite numbers', bad);
  if (rules.relationCount !== relations)
    refuse('sets.rules', `those of ${relations} relations`, rules.relationCount);
  return schema.parse(setsEntrySchema, entry, { code: 'usage', what: 'sets', path: '$.sets' });
}

function bytesOf(files: Manifest['files']): number {
  return Object.values(files).reduce((sum, { bytes }) => sum + bytes, 0);
}

function checkCounts({ config, vocabulary, graph, recorded, k }: ExportOptions): void {
  for (const [what, count, source] of [
    ['entities', vocabulary.entityCount, 'vocabulary'],
    ['entities', graph.entityCount, 'graph'],
    ['relations', vocabulary.relationCount, 'vocabulary'],
    ['relations', graph.relationCount, 'graph'],
    ['entities', recorded?.graph.entityCount ?? config.entities, 'recorded'],
    ['relations', recorded?.graph.relationCount ?? config.relations, 'recorded'],
  ] as const)
    if (count !== config[what])
      throw new FuzzError('usage', `expected ${config[what]} ${what} as in the model, got ${count}`, {
        path: source,
        hint: 'Inverse relations count; give the vocabulary and the graph that the model was trained on.',
      });
  if (!Number.isInteger(k) || k < 1 || k > config.entities)
    throw new FuzzError('range', `expected an integer in [1, ${config.entities}], got ${k}`, { path: 'k' });
}

/** @throws FuzzError `range`: parts would have no bytes, and so no end. */
function checkPartBytes(partBytes: number): void {
  if (partBytes < 1 || (!Number.isInteger(partBytes) && partBytes !== Number.POSITIVE_INFINITY))
    throw new FuzzError('range', `expected a whole number above 0, got ${partBytes}`, { path: 'partBytes' });
}

/**
 * Which facts are recorded, and how many of them training did not see.
 *
 * @throws FuzzError `usage`: one it saw is missing.
 */
function countFacts(graph: KnowledgeGraph, { graph: all, parts, trained }: RecordedFacts): TrainedFacts {
  const [seen, recorded] = [graph.edgeCount / 2, all.edgeCount / 2];
  if (graph.union(all).edgeCount !== all.edgeCount)
    throw new FuzzError('usage', 'recorded facts: expected all that the model was trained on, and more', {
      path: 'recorded.graph',
      hint: 'Record the training facts and those of other parts together.',
    });
  return { recorded, recordedParts: parts, trained: seen, trainedParts: trained };
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
  return cardExampleOf(anchors, relations, vocabulary);
}

function* entitiesOf({ entityCount, entity }: Vocabulary): Generator<NameEntry> {
  for (let id = 0; id < entityCount; id += 1) yield entity(id);
}

async function writeNames(writer: FolderWriter, vocabulary: Vocabulary): Promise<void> {
  const { relationCount } = vocabulary;
  const relations = Array.from(
    { length: relationCount / 2 },
    (_, forward): NameEntry => vocabulary.relation(2 * forward),
  );
  const file = await writer.open(bundlePaths.entities);
  await writeTexts(file, entitiesTsvTexts(entitiesOf(vocabulary)));
  await file.close();
  await writer.write(bundlePaths.relations, writeRelationsTsv(relations));
  const { prefixes } = vocabulary;
  if (prefixes.size > 0) await writer.write(prefixesPath, writePrefixesTsv(prefixes));
  if (vocabulary.aliases.count > 0) await writeRows(writer, aliasesPath, vocabulary.aliases);
}

async function writeAttributes(writer: FolderWriter, attributes: Attributes = noAttributes): Promise<void> {
  if (attributes.rows.count === 0) return;
  await writer.write(attributesPath, writeAttributeColumns(attributes.columns));
  await writeRows(writer, attributeValuesPath, attributes.rows);
}

async function writeRows(writer: FolderWriter, path: string, rows: EntityRows): Promise<void> {
  const file = await writer.open(path);
  await writeTexts(file, rows.texts());
  await file.close();
}

function sorted<T>(record: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));
}
