import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type BundleSource,
  type Manifest,
  namedGraphs,
  type Profile,
  profileFiles,
  readGolden,
  readManifest,
  sealManifest,
} from '@fuzzqe/bundle';
import { openBundle, openEngine, type TensorValues } from '@fuzzqe/engine';
import { decodeOnnx, encodeOnnx } from '@fuzzqe/onnx';
import { tinyBundle } from '@fuzzqe/parity/testing';
import { folderSource, nodeSessions } from '@fuzzqe/serve';
import fc, { type Arbitrary } from 'fast-check';
import { atOnce, type Door } from '../door.ts';
import { type Mutation, mutate, mutations, share } from '../mutations.ts';
import { edited, type GraphInput, graphInput } from './graph-edits.ts';

/** A file of a bundle by its place among them, and what is done to it. */
interface FileInput {
  /** A share of the files. */
  readonly file: number;
  readonly changes: readonly Mutation[];
  /** Of JSON: values that are put in places of others, by shares of these. */
  readonly values: readonly { readonly at: number; readonly value: unknown }[];
  /** Whether sizes and digests are made right afterwards. */
  readonly sealed: boolean;
}

const asBytes = <T>(input: Arbitrary<T>): Arbitrary<Uint8Array> =>
  input.map((value) =>
    Buffer.from(JSON.stringify(value, (_, each: unknown) => (each instanceof Uint8Array ? [...each] : each))),
  );
/** What `asBytes` wrote, with the bytes of changes as such. */
function read<T extends { readonly changes: readonly Mutation[] }>(input: Uint8Array): T {
  const value = JSON.parse(Buffer.from(input).toString()) as T;
  return {
    ...value,
    changes: value.changes.map((each) => ({ ...each, bytes: Uint8Array.from(each.bytes) })),
  };
}

/** What may stand anywhere in the JSON of a bundle, and hardly ever fits. */
export const hostileValue: Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(
    0,
    -1,
    1,
    2,
    3,
    2 ** 31 - 1,
    2 ** 31,
    2 ** 53,
    1e300,
    0.5,
    null,
    '',
    [],
    {},
    '../x',
    '/etc/passwd',
  ),
  fc.constantFrom<unknown>(
    'models/fp32/rank.onnx',
    'facts.bin',
    'fp32',
    'lukasiewicz',
    'batch',
    'float',
    true,
  ),
  fc.jsonValue({ maxDepth: 1 }),
);
const words = [
  '{',
  '}',
  '"',
  ',',
  ':',
  '\t',
  '\n',
  '\\',
  '\0',
  Uint8Array.of(255, 255, 255, 127),
  Uint8Array.of(0, 0, 192, 127),
];
const fileInput: Arbitrary<FileInput> = fc.record({
  // The manifest is the door's first, and gets every other input.
  file: fc.oneof(fc.constant(0), share),
  changes: fc.oneof(fc.constant([]), mutations(words)),
  values: fc.array(fc.record({ at: share, value: hostileValue }), { maxLength: 3 }),
  sealed: fc.oneof({ weight: 9, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) }),
});

type Files = Map<string, Uint8Array>;

/** A small bundle in memory. */
export async function bundleInMemory(): Promise<Files> {
  const { directory } = await tinyBundle('campaign');
  const paths = await folderSource(directory).list!();
  const files = new Map<string, Uint8Array>();
  for (const path of paths) files.set(path, await readFile(join(directory, path)));
  await rm(directory, { recursive: true });
  return files;
}

/** The files as a bundle; what is missing is missing as in a folder. */
export function memorySource(files: Files): BundleSource {
  const whole = folderSource('/nowhere');
  return {
    location: 'memory',
    read: async (path) => files.get(path) ?? whole.read(path),
  };
}

const entryOf = (bytes: Uint8Array) => ({
  bytes: bytes.length,
  sha256: createHash('sha256').update(bytes).digest('hex'),
});

/** A manifest under which every file is as it should be: the door is what comes after the digests. */
async function sealed(files: Files, manifest: Manifest): Promise<Uint8Array> {
  const listed = Object.fromEntries(
    Object.keys(manifest.files).map((path) => [path, entryOf(files.get(path)!)]),
  );
  const sized = (profile: Profile): Profile => ({
    ...profile,
    bytes: profileFiles(profile).reduce((sum, path) => sum + listed[path]!.bytes, 0),
  });
  const profiles = Object.fromEntries(
    Object.entries(manifest.profiles).map(([name, each]) => [name, sized(each)]),
  );
  const { sha256: _, ...rest } = manifest;
  return sealManifest({ ...rest, profiles, files: listed });
}

/** Puts values in places of others, in JSON. */
function withValues(text: string, values: FileInput['values']): string {
  if (values.length === 0) return text;
  const root = JSON.parse(text) as unknown;
  for (const { at, value } of values) {
    const places: (readonly [Record<string, unknown>, string])[] = [];
    const walk = (node: unknown): void => {
      if (typeof node !== 'object' || node === null) return;
      for (const key of Object.keys(node)) {
        // An object or an array, which both have keys.
        places.push([node as Record<string, unknown>, key]);
        walk((node as Record<string, unknown>)[key]);
      }
    };
    walk(root);
    const [holder, key] = places[Math.floor(at * places.length)]!;
    holder[key] = value;
  }
  return JSON.stringify(root, null, 2);
}

/** The text of a manifest with a digest of itself that is right. */
export function resealText(bytes: Uint8Array): Uint8Array {
  const text = Buffer.from(bytes).toString('latin1');
  const at = /"sha256"\s*:\s*"([0-9a-f]{64})"/.exec(text);
  if (at === null) return bytes;
  const start = at.index + at[0].length - 65;
  const blank = Buffer.from(bytes);
  blank.fill('0', start, start + 64);
  blank.write(createHash('sha256').update(blank).digest('hex'), start, 'latin1');
  return blank;
}

/** Sessions that run nothing; whether graphs are read, and so checked against what the manifest says of them. */
const nothingRuns = (readsGraphs: boolean) => ({
  runtime: 'none',
  async open({ path }: { readonly path: string }, source: BundleSource) {
    if (readsGraphs) await source.read(path);
    return { run: () => Promise.reject(new Error('nothing runs')), close: async () => {} };
  },
});

/** Numbers of the right form for a run: ids and k of 0 or 1, floats of a half. */
function feedsOf(inputs: Profile['rank']['inputs']): TensorValues {
  return Object.fromEntries(
    inputs.map(({ name, dtype, shape }) => {
      const dims = shape.map((dim) => (typeof dim === 'number' ? dim : 2));
      const size = dims.reduce((product, dim) => product * dim, 1);
      const data =
        dtype === 'int' ? new Int32Array(size).fill(name === 'k' ? 3 : 0) : new Float32Array(size).fill(0.5);
      return [name, { dims, data }];
    }),
  );
}

/** Bundles whose digests are right and whose files are not. */
export const bundleDoors: readonly Door[] = [
  {
    name: 'bundle-files',
    description: 'manifests, facts, names and other files of a bundle, under right digests',
    ending: '.json',
    volume: 'reader',
    inputs: asBytes(fileInput),
    refusals: ['bundle'],
    parallel: atOnce,
    async open() {
      const whole = await bundleInMemory();
      const manifest = await readManifest(memorySource(whole));
      // Graphs have a door of their own.
      const paths = [
        'manifest.json',
        ...Object.keys(manifest.files).filter((path) => !path.endsWith('.onnx')),
      ];
      return {
        async attempt(input) {
          const { file, changes, values, sealed: right } = read<FileInput>(input);
          const path = paths[Math.floor(file * paths.length)]!;
          const files = new Map(whole);
          const text = path.endsWith('.json')
            ? Buffer.from(withValues(Buffer.from(files.get(path)!).toString(), values))
            : files.get(path)!;
          const bytes = mutate(text, changes);
          files.set(path, path === 'manifest.json' && right ? resealText(bytes) : bytes);
          if (path !== 'manifest.json' && right) files.set('manifest.json', await sealed(files, manifest));
          const source = memorySource(files);
          // Of another file than the manifest nothing is new to the graphs, nor to what is said of them.
          const sessions = nothingRuns(path === 'manifest.json');
          const engine = await openEngine({ source, sessions });
          try {
            const { entityCount, relationCount } = engine.vocabulary;
            assert.deepEqual(
              [entityCount, relationCount, engine.facts.entityCount, engine.facts.relationCount],
              [engine.manifest.model.entities, engine.manifest.model.relations, entityCount, relationCount],
            );
            const triples = engine.facts.forwardTriples();
            assert.ok(
              triples.length > 0 &&
                triples.every((id, i) => id >= 0 && id < (i % 3 === 1 ? relationCount : entityCount)),
            );
            await engine.warmUp();
            await readGolden(source, engine.manifest, engine.profile);
          } finally {
            await engine.close();
          }
        },
      };
    },
  },
  {
    name: 'bundle-graphs',
    description: 'ONNX graphs under right digests, and onnxruntime-node with what is let through',
    ending: '.json',
    volume: 'reader',
    inputs: asBytes(graphInput),
    // A runtime may refuse what the check lets through, whose shapes it does not follow.
    refusals: ['bundle', 'runtime'],
    parallel: 4,
    async open(folder) {
      const { directory } = await tinyBundle('campaign');
      const root = folderSource(directory);
      const manifest = await readManifest(root);
      const whole: Files = new Map();
      for (const path of await root.list!()) whole.set(path, await root.read(path));
      const profile = manifest.profiles['fp32']!;
      const graphs = namedGraphs(profile);
      const places = await Promise.all(
        Array.from({ length: 4 }, async (_, place) => {
          const copy = join(folder, `${place}`);
          await cp(directory, copy, { recursive: true });
          return { copy, sessions: nodeSessions(copy, { threads: 1 }) };
        }),
      );
      return {
        async attempt(input, place) {
          const { copy, sessions } = places[place]!;
          const { graph: at, changes, edits: all } = read<GraphInput>(input);
          const [, graph] = graphs[Math.floor(at * graphs.length)]!;
          const model = all.reduce(edited, decodeOnnx(whole.get(graph.path)!));
          const bytes = mutate(encodeOnnx(model), changes);
          const files = new Map(whole).set(graph.path, bytes);
          files.set('manifest.json', await sealed(files, manifest));
          await writeFile(join(copy, graph.path), bytes);
          try {
            const { source } = await openBundle(memorySource(files));
            const session = await sessions.open(graph, source);
            try {
              await session.run(feedsOf(graph.inputs));
            } finally {
              await session.close();
            }
          } finally {
            await writeFile(join(copy, graph.path), whole.get(graph.path)!);
          }
        },
        close: () => rm(directory, { recursive: true, force: true }),
      };
    },
  },
];
