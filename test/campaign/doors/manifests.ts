import assert from 'node:assert/strict';
import { bundlePaths, profileFiles } from '@fuzzqe/bundle';
import { openBundle } from '@fuzzqe/engine';
import fc, { type Arbitrary } from 'fast-check';
import type { Door } from '../door.ts';
import { share } from '../mutations.ts';
import { bundleInMemory, hostileValue, memorySource, resealText } from './bundles.ts';

/** A change to one place of the JSON, by its share of all places. */
interface ManifestEdit {
  readonly kind: (typeof kinds)[number];
  readonly at: number;
  /** Of copies and exchanges: the other place. */
  readonly other: number;
  readonly key: string;
  readonly value: unknown;
}

interface ManifestInput {
  readonly edits: readonly ManifestEdit[];
  /** A key that stands twice: the text of its second value, or undefined. */
  readonly twice: string | undefined;
  /** Whether the digest of the manifest is made right afterwards. */
  readonly sealed: boolean;
}

const kinds = ['set', 'remove', 'rename', 'add', 'copy', 'exchange', 'repeat', 'deepen'] as const;

const edit: Arbitrary<ManifestEdit> = fc.record({
  kind: fc.constantFrom(...kinds),
  at: share,
  other: share,
  key: fc.constantFrom(
    ...['__proto__', 'constructor', 'toString', '', 'fp32', 'fp16', 'files', 'sha256', 'bytes', 'path'],
    ...['../facts.bin', '/etc/passwd', 'facts.bin', 'models\\fp32', 'a'.repeat(2000), '\u202e'],
  ),
  value: fc.oneof(
    hostileValue,
    fc.constantFrom<unknown>(
      ...['x'.repeat(20_000), '..', 'models/../../x', 'C:\\x', 'a\0b', '0'.repeat(64), 'f'.repeat(64)],
      ...[2 ** 32, 40, 6, 41, 1e-300, -0],
    ),
  ),
});
const input: Arbitrary<ManifestInput> = fc.record({
  edits: fc.array(edit, { maxLength: 3 }),
  twice: fc.oneof(
    { weight: 8, arbitrary: fc.constant(undefined) },
    {
      weight: 1,
      arbitrary: fc.constantFrom('"model":{}', '"files":{}', '"\\u0066iles":null', '"version":1'),
    },
  ),
  sealed: fc.oneof({ weight: 9, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) }),
});

type Place = readonly [holder: Record<string, unknown>, key: string];

function placesOf(root: unknown): readonly Place[] {
  const places: Place[] = [];
  const walk = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    // An object or an array, which both have keys.
    const holder = node as Record<string, unknown>;
    for (const key of Object.keys(holder)) {
      places.push([holder, key]);
      walk(holder[key]);
    }
  };
  walk(root);
  return places;
}

const copyOf = (value: unknown): unknown => JSON.parse(JSON.stringify(value)) as unknown;
/** `__proto__` becomes a key, too, as it does in a file. */
const put = (holder: object, key: string, value: unknown): unknown =>
  Object.defineProperty(holder, key, { value, enumerable: true, configurable: true, writable: true });

function apply(root: unknown, { kind, at, other, key: name, value }: ManifestEdit): void {
  const places = placesOf(root);
  if (places.length === 0) return;
  const [holder, key] = places[Math.floor(at * places.length)]!;
  const [from, of] = places[Math.floor(other * places.length)]!;
  const old = holder[key];
  switch (kind) {
    case 'set':
      put(holder, key, value);
      break;
    case 'remove':
      if (Array.isArray(holder)) holder.splice(Number(key), 1);
      else delete holder[key];
      break;
    case 'rename':
      delete holder[key];
      put(holder, Array.isArray(holder) ? key : name, old);
      break;
    case 'add':
      put(holder, Array.isArray(holder) ? `${holder.length}` : name, value);
      break;
    case 'copy':
      put(holder, key, copyOf(from[of] ?? null));
      break;
    case 'exchange': {
      const [mine, its] = [copyOf(old ?? null), copyOf(from[of] ?? null)];
      put(from, of, mine);
      put(holder, key, its);
      break;
    }
    case 'repeat': {
      // Below what a manifest may have: what is larger has tests of its own.
      const times = Math.min(300, Math.ceil(2 ** 20 / (JSON.stringify(old ?? null).length + 1)));
      put(holder, key, Array.isArray(old) ? Array.from({ length: times }, () => old).flat() : [old, old]);
      break;
    }
    case 'deepen':
      put(
        holder,
        key,
        Array.from({ length: 200 }).reduce<unknown>((inner) => ({ [name]: inner }), old),
      );
      break;
  }
}

/** The manifest of a bundle whose other files are as they were. */
export const manifestDoors: readonly Door[] = [
  {
    name: 'manifests',
    description: 'manifests of a bundle by structure: keys and values removed, renamed, exchanged, repeated',
    ending: '.json',
    volume: 'reader',
    inputs: input.map((each) => Buffer.from(JSON.stringify(each))),
    refusals: ['bundle'],
    async open() {
      const whole = await bundleInMemory();
      const valid = Buffer.from(whole.get(bundlePaths.manifest)!).toString();
      return {
        async attempt(bytes) {
          const { edits, twice, sealed } = JSON.parse(Buffer.from(bytes).toString()) as ManifestInput;
          const root = JSON.parse(valid) as unknown;
          for (const each of edits) apply(root, each);
          const json = JSON.stringify(root, null, 2);
          const text = Buffer.from(twice === undefined ? json : json.replace(/\}$/, `,${twice}}`));
          const given = new Map(whole).set(bundlePaths.manifest, sealed ? resealText(text) : text);
          const asked = new Set<string>();
          const source = memorySource(given);
          const bundle = await openBundle({
            ...source,
            read: (path) => {
              asked.add(path);
              return source.read(path);
            },
          });
          const { manifest, vocabulary, facts, profile } = bundle;
          const { entities, relations } = manifest.model;
          assert.deepEqual([vocabulary.entityCount, vocabulary.relationCount], [entities, relations]);
          assert.deepEqual([facts.entityCount, facts.relationCount], [entities, relations]);
          for (const path of profileFiles(profile)) assert.ok(Object.hasOwn(manifest.files, path), path);
          for (const path of asked)
            assert.ok(path.startsWith(bundlePaths.manifest) || Object.hasOwn(manifest.files, path), path);
        },
      };
    },
  },
];
