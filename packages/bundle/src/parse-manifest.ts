import { FuzzError, schema } from '@fuzzqe/core';
import { type StructureName, structureNames } from '@fuzzqe/core/query';
import { projectionSettingsSchema } from '@fuzzqe/core/sets';
import { hasCentroids, modelConfigSchema } from '@fuzzqe/model';
import { checkSizes } from './check-sizes.ts';
import { combinedCaseOf, combinedCases, combinedSignature } from './combined-graph.ts';
import {
  edgeSignature,
  type GraphSignature,
  linksSignature,
  operatorSignature,
  programSignature,
  rankSignature,
  structureSignature,
} from './graph-signatures.ts';
import {
  answerModes,
  attributesPath,
  attributeValuesPath,
  bundleFormatVersion,
  bundlePaths,
  type FilePart,
  type GraphEntry,
  isCombined,
  type ListedFile,
  type Manifest,
  modesOf,
  namedGraphs,
  operatorNames,
  type Profile,
  type SetsEntry,
  type TensorSignature,
  type Tolerance,
} from './manifest.ts';
import { profileQualitySchema } from './profile-quality.ts';
import { reliabilitySchema } from './reliability.ts';
import type { ParityTolerances } from './tolerances.ts';

const {
  anything,
  array,
  checked,
  fieldsOf,
  integer,
  matching,
  nullable,
  number,
  object,
  oneOf,
  optional,
  parse,
  record,
  string,
  union,
} = schema;

const bundleFormat: Manifest['format'] = 'fuzzqe-bundle';

/**
 * Reads `manifest.json`, or says everything that is wrong with it at once.
 *
 * A manifest of another version is refused before anything else, because nothing else of it can be judged. Paths stay
 * inside the bundle, every file that the format or a graph needs is listed, and graphs have the format's signatures.
 *
 * @throws FuzzError `bundle`.
 * @example
 * const manifest = parseManifest(JSON.parse(text));
 * manifest.version;
 */
export function parseManifest(json: unknown): Manifest {
  checkFormat(json);
  return parse(manifestSchema, json, { code: 'bundle', what: bundlePaths.manifest });
}

/**
 * Refuses what is no manifest of a version that this code reads.
 *
 * @throws FuzzError `bundle`.
 */
export function checkFormat(json: unknown): void {
  const { format, version } = headOf(json);
  if (format !== bundleFormat)
    throw new FuzzError('bundle', `format: expected "${bundleFormat}", got ${JSON.stringify(format)}`, {
      path: bundlePaths.manifest,
      hint: 'Give the folder or address of a FuzzQE bundle.',
    });
  if (Number.isInteger(version) && version !== bundleFormatVersion) {
    const newer = Number(version) > bundleFormatVersion;
    throw new FuzzError(
      'bundle',
      `version: expected ${bundleFormatVersion}, got ${version}: made by ${newer ? 'a newer' : 'an earlier'} version`,
      {
        path: bundlePaths.manifest,
        hint: newer
          ? 'Upgrade the fuzzqe packages, or export the run again with this version.'
          : 'Calibrate the run and export it again: `fuzzqe calibrate`, `fuzzqe export`.',
      },
    );
  }
}

function headOf(json: unknown): { readonly format?: unknown; readonly version?: unknown } {
  return typeof json === 'object' && json !== null ? json : {};
}

// A path from outside that left the bundle would let a manifest read or overwrite other files.
const insidePath = /^(?!\.{1,2}(?:\/|$))[^/\\:\0]+(?:\/(?!\.{1,2}(?:\/|$))[^/\\:\0]+)*$/;
const bundlePath = matching(insidePath, 'a path inside the bundle, with / between folders');

const signature: schema.Schema<readonly TensorSignature[]> = array(
  object({
    name: string,
    dtype: oneOf(['float', 'int', 'bool']),
    shape: array(union([integer({ min: 0 }), string])),
  }),
);

const graph: schema.Schema<GraphEntry> = object({
  path: bundlePath,
  weights: array(bundlePath),
  inputs: signature,
  outputs: signature,
  case: optional(integer({ min: 0, max: combinedCases.length - 1 })),
});

const tolerance: schema.Schema<Tolerance> = object({
  absolute: number({ min: 0 }),
  relative: number({ min: 0 }),
});
const tolerances: schema.Schema<ParityTolerances> = object({
  embedding: tolerance,
  score: tolerance,
  degree: tolerance,
});

const profile: schema.Schema<Profile> = object({
  operators: object({ ...fieldsOf(operatorNames, graph), centroid: optional(graph) }),
  // as: those of `structuresOf`, which exporters write and nobody plans another of.
  structures: optional(
    object(fieldsOf(structureNames, optional(graph))) as unknown as schema.Schema<
      Record<StructureName, GraphEntry>
    >,
  ),
  program: optional(graph),
  edge: graph,
  rank: graph,
  links: graph,
  bytes: integer({ min: 0 }),
  golden: bundlePath,
  tolerances,
  quality: profileQualitySchema,
});

const sha256 = matching(/^[0-9a-f]{64}$/, '64 lower-case hexadecimal digits');
const count = integer({ min: 0 });
/** Reads `sets` of a manifest. */
export const setsEntrySchema: schema.Schema<SetsEntry> = object({
  projection: projectionSettingsSchema,
  fitted: nullable(
    object({ links: count, candidates: count, found: count, knownShare: number({ above: 0, max: 1 }) }),
  ),
  likeness: optional(number({ above: 0, max: 1 })),
  reliability: nullable(object({ links: reliabilitySchema, answers: nullable(reliabilitySchema) })),
});

const part: schema.Schema<FilePart> = object({ path: bundlePath, bytes: integer({ min: 1 }), sha256 });
const file: schema.Schema<ListedFile> = object({
  bytes: integer({ min: 0 }),
  sha256,
  parts: optional(array(part, { min: 2 })),
});

const fields: schema.Schema<Manifest> = object({
  format: oneOf([bundleFormat]),
  version: oneOf([bundleFormatVersion]),
  sha256,
  name: string,
  model: modelConfigSchema,
  data: object({ name: string, licence: string, sha256, edges: integer({ min: 0 }) }),
  sets: setsEntrySchema,
  modes: optional(array(oneOf(answerModes), { min: 1 })),
  profiles: record(profile),
  metrics: record(anything),
  training: record(anything),
  files: record(file, bundlePath),
});

const manifestSchema: schema.Schema<Manifest> = checked(fields, (manifest, report) => {
  const { model, profiles, files } = manifest;
  if (model.relations % 2 === 1)
    report(['model', 'relations'], 'an even number: relations with their inverses', `${model.relations}`);
  if (Object.keys(profiles).length === 0) report(['profiles'], 'at least one profile', 'none');
  checkModes(manifest, report);
  const { manifest: itself, facts, evidence, rules, ...others } = bundlePaths;
  if (Object.hasOwn(files, itself)) report(['files'], 'no entry for the manifest itself', itself);
  for (const needed of Object.values(others)) checkListed(manifest, needed, ['files'], report);
  for (const path of [facts, evidence, rules])
    if (modesOf(manifest).includes('sets')) checkListed(manifest, path, ['files'], report);
    else if (Object.hasOwn(files, path))
      report(['files'], 'no facts and no evidence without the mode sets', path);
  if (Object.hasOwn(files, attributesPath)) checkListed(manifest, attributeValuesPath, ['files'], report);
  for (const [name, profile] of Object.entries(profiles)) {
    const at = ['profiles', name];
    checkListed(manifest, profile.golden, [...at, 'golden'], report);
    const check = (entry: GraphEntry, expected: GraphSignature, ...keys: string[]): void =>
      checkGraph(manifest, entry, expected, [...at, ...keys], report);
    for (const operator of operatorNames)
      check(profile.operators[operator], operatorSignature(model, operator), 'operators', operator);
    const { centroid } = profile.operators;
    if ((centroid !== undefined) !== hasCentroids(model))
      report(
        [...at, 'operators', 'centroid'],
        `${centroid ? 'none' : 'a graph'}, for projectionInput ${model.projectionInput}`,
        centroid ? 'one' : 'none',
      );
    if (centroid !== undefined)
      check(centroid, operatorSignature(model, 'centroid'), 'operators', 'centroid');
    const combined = isCombined(profile);
    for (const key of ['structures', 'program'] as const)
      if ((profile[key] === undefined) !== combined)
        report(
          [...at, key],
          combined ? 'none, as graphs are combined' : 'an object',
          combined ? 'one' : 'none',
        );
    // Keys of the schema.
    for (const [structure, entry] of Object.entries(profile.structures ?? {}))
      check(entry, structureSignature(model, structure as StructureName), 'structures', structure);
    if (profile.program !== undefined) check(profile.program, programSignature(model), 'program');
    check(profile.edge, (combined ? combinedSignature : edgeSignature)(model), 'edge');
    // A key of the record below.
    for (const [graph, signatureOf] of Object.entries(ownSignatures))
      check(profile[graph as keyof typeof ownSignatures], signatureOf(model), graph);
    checkCases(profile, at, report);
  }
  checkParts(manifest, report);
  checkSizes(manifest, report);
});

/** Where graphs are combined, each but the edge graph is the case of its name in the file of that; elsewhere none is a case. */
function checkCases(profile: Profile, at: readonly string[], report: schema.Report): void {
  const { edge } = profile;
  for (const [name, graph] of namedGraphs(profile)) {
    const place = combinedCaseOf(name);
    const expected = isCombined(profile) && place >= 0 ? place : undefined;
    if (graph.case !== expected)
      report([...at, name, 'case'], `${expected ?? 'none'}`, `${graph.case ?? 'none'}`);
    if (expected !== undefined && graph.path !== edge.path)
      report([...at, name, 'path'], `${edge.path}, the edge graph`, graph.path);
  }
}

/** Every model embeds. */
function checkModes({ modes }: Manifest, report: schema.Report): void {
  if (modes === undefined) return;
  if (!modes.includes('embedding') || new Set(modes).size < modes.length)
    report(['modes'], '"embedding" among modes that differ', JSON.stringify(modes));
}

/** Parts have paths of their own. */
function checkParts({ files }: Manifest, report: schema.Report): void {
  const parts = Object.entries(files).flatMap(([path, file]) =>
    (file.parts ?? []).map((part) => [path, part.path] as const),
  );
  const seen = new Set(Object.keys(files));
  for (const [path, part] of parts) {
    if (seen.has(part)) report(['files', path, 'parts'], 'paths that no other file has', part);
    seen.add(part);
  }
}

/** The graphs that a profile has one of. */
const ownSignatures = {
  rank: rankSignature,
  links: linksSignature,
} as const;

function checkGraph(
  manifest: Manifest,
  entry: GraphEntry,
  expected: GraphSignature,
  path: readonly string[],
  report: schema.Report,
): void {
  for (const needed of [entry.path, ...entry.weights]) checkListed(manifest, needed, path, report);
  for (const side of ['inputs', 'outputs'] as const) {
    const [got, wanted] = [entry[side], expected[side]].map(formatSignature);
    if (got !== wanted) report([...path, side], wanted!, got!);
  }
}

function checkListed(
  manifest: Manifest,
  needed: string,
  path: readonly string[],
  report: schema.Report,
): void {
  if (!Object.hasOwn(manifest.files, needed)) report(path, `"${needed}" among the files`, 'no such entry');
}

function formatSignature(tensors: readonly TensorSignature[]): string {
  return tensors.map(({ name, dtype, shape }) => `${name} ${dtype}[${shape.join(', ')}]`).join('; ');
}
