import { FuzzError } from '@fuzzqe/core';
import { structureNames } from '@fuzzqe/core/query';
import { defaultProjection } from '@fuzzqe/core/sets';
import { plainModel } from '@fuzzqe/model';
import {
  edgeSignature,
  type GraphSignature,
  linksSignature,
  operatorSignature,
  programSignature,
  rankSignature,
  structureSignature,
} from '../graph-signatures.ts';
import {
  bundleFormatVersion,
  bundlePaths,
  type FileEntry,
  type GraphEntry,
  type Manifest,
  operatorNames,
  type Profile,
  profileFiles,
} from '../manifest.ts';
import { sealManifest } from '../manifest-seal.ts';
import { parseManifest } from '../parse-manifest.ts';
import { sha256Hex } from '../platform.ts';
import type { BundleSource } from '../read-bundle.ts';

const none = { absolute: 0, relative: 0 };
const model: Manifest['model'] = {
  entities: 5,
  relations: 4,
  ...plainModel,
  dimension: 2,
  bases: 1,
  entityNormalisation: 'l1',
  projectionInput: 'raw',
};

/** A bundle in memory whose files hold nothing but their own names, or as many bytes as the counts of the model ask for. */
export interface SampleBundle {
  readonly manifest: Manifest;
  readonly files: Map<string, Uint8Array>;
  readonly source: BundleSource;
}

/** A bundle in which everything but the contents of the graphs is as it should be, with profiles of these names. */
export async function sampleBundle(profileNames: readonly string[] = ['fp32']): Promise<SampleBundle> {
  const files = new Map<string, Uint8Array>();
  const add = (path: string): string => {
    files.set(path, utf8(path));
    return path;
  };
  const profileOf = (profile: string): Profile => {
    const weights = add(`models/${profile}/weights.bin`);
    const graph = (name: string, signature: GraphSignature): GraphEntry => ({
      path: add(`models/${profile}/${name}.onnx`),
      weights: [weights],
      ...signature,
    });
    const operators = operatorNames.map((name) => [name, graph(name, operatorSignature(model, name))]);
    const graphs = structureNames.map((name) => [name, graph(name, structureSignature(model, name))]);
    return {
      operators: Object.fromEntries(operators),
      structures: Object.fromEntries(graphs),
      program: graph('program', programSignature(model)),
      edge: graph('edge', edgeSignature(model)),
      rank: graph('rank', rankSignature(model)),
      links: graph('links', linksSignature(model)),
      bytes: 0,
      golden: add(`models/${profile}/golden.json`),
      tolerances: { embedding: none, score: none, degree: none },
      quality: { reason: 'nothing was measured' },
    };
  };
  const sized = (profile: Profile): Profile => ({
    ...profile,
    bytes: profileFiles(profile).reduce((sum, path) => sum + files.get(path)!.length, 0),
  });
  const profiles = Object.fromEntries(profileNames.map((name) => [name, sized(profileOf(name))]));
  const { manifest: itself, ...others } = bundlePaths;
  Object.values(others).forEach(add);
  // Files whose sizes follow from the counts of the model.
  files.set(others.entities, utf8(others.entities.repeat(2)));
  files.set(
    others.facts,
    Uint8Array.from({ length: 12 }, (_, i) => i),
  );

  const entries: [string, FileEntry][] = [];
  for (const [path, bytes] of files)
    entries.push([path, { bytes: bytes.length, sha256: await sha256Hex(bytes) }]);
  const sealed = await sealManifest({
    format: 'fuzzqe-bundle',
    version: bundleFormatVersion,
    name: 'sample',
    model,
    data: { name: 'nothing', licence: 'CC0-1.0', sha256: '0'.repeat(64), edges: 0 },
    sets: { projection: defaultProjection, fitted: null, reliability: null },
    profiles,
    metrics: {},
    training: {},
    files: Object.fromEntries(entries),
  });
  files.set(itself, sealed);
  const manifest = parseManifest(JSON.parse(String.fromCharCode(...sealed)));
  return { manifest, files, source: memorySource(files) };
}

function memorySource(files: ReadonlyMap<string, Uint8Array>): BundleSource {
  return {
    location: 'memory',
    async read(path) {
      const bytes = files.get(path);
      if (bytes === undefined) throw new FuzzError('bundle', 'expected a file, got nothing', { path });
      return bytes;
    },
    list: async () => [...files.keys()],
  };
}

/** ASCII text as bytes. */
export function utf8(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}
