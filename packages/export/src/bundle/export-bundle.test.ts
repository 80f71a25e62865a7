import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  aliasesPath,
  attributesPath,
  attributeValuesPath,
  graphDigest,
  type MeasuredQuality,
  parseManifest,
  prefixesPath,
  provenancePath,
  readBundleAttributes,
  readBundleProvenances,
  readVocabulary,
  verifyBundle,
} from '@fuzzqe/bundle';
import { FuzzError } from '@fuzzqe/core';
import { structureNames } from '@fuzzqe/core/query';
import { compareRules, featureCount, readEvidence, readRules, writeEvidence } from '@fuzzqe/evidence';
import { basesOf } from '@fuzzqe/model';
import { attributesOf, createVocabulary, noAttributes, readAliases, readEntityRows } from '@fuzzqe/names';
import { expect, it } from 'vitest';
import { listFiles } from '../files/replace-folder.ts';
import { blocksConfig, sampleConfig, sampleExport } from '../testing/sample.ts';
import { inTemporaryFolder, readFolder } from '../testing/temporary-folder.ts';
import { exportBundle } from './export-bundle.ts';
import type { ExportOptions, SetsOptions } from './export-options.ts';

const inBundle = <T>(work: (directory: string, root: string) => Promise<T>): Promise<T> =>
  inTemporaryFolder((root) => work(join(root, 'bundle'), root));

/** Every file of a folder with its bytes. */
async function contents(directory: string): Promise<Record<string, string>> {
  const files: Record<string, string> = {};
  for (const path of await listFiles(directory))
    files[path] = await readFile(join(directory, path), 'base64');
  return files;
}

/** The error of an export that has to fail. */
async function failure(options: ExportOptions): Promise<FuzzError> {
  const error: unknown = await exportBundle(options).then(
    () => undefined,
    (cause: unknown) => cause,
  );
  if (error instanceof FuzzError) return error;
  throw new Error(`expected a FuzzError, got ${error}`);
}

it('writes a bundle that is whole and holds what it was given', () =>
  inBundle(async (directory) => {
    const options = sampleExport();
    const manifest = await exportBundle({ ...options, directory });
    expect(await verifyBundle(readFolder(directory))).toEqual(manifest);
    expect(manifest.data).toEqual({
      ...options.data,
      sha256: await graphDigest(options.graph),
      edges: options.graph.edgeCount,
    });
    expect(manifest.data.sha256).toBe(manifest.files['facts.bin']!.sha256);
    expect((await readFile(join(directory, 'vocabulary/relations.tsv'), 'utf8')).split('\n')).toEqual([
      '0\tr0\tr number 0',
      '2\tr1\tr number 1',
      '4\tr2\tr number 2',
      '',
    ]);
    const card = await readFile(join(directory, 'README.md'), 'utf8');
    for (const part of ['# sample', 'CC0-1.0', 'random', 'models/fp32/1p.onnx', '"seed": 1'])
      expect(card).toContain(part);
  }));

it('writes the prefixes and further names, and no file where there are none', () =>
  inBundle(async (directory, root) => {
    const options = sampleExport();
    const plain = await exportBundle({ ...options, directory });
    for (const path of [prefixesPath, aliasesPath]) expect(Object.keys(plain.files)).not.toContain(path);
    expect((await readVocabulary(readFolder(directory), plain)).prefixes.size).toBe(0);
    const { entityCount, entity, relationCount, relation } = options.vocabulary;
    const vocabulary = createVocabulary({
      entities: Array.from({ length: entityCount }, (_, id) => entity(id)),
      relations: Array.from({ length: relationCount / 2 }, (_, k) => relation(2 * k)),
      prefixes: new Map([['ex', 'e']]),
      aliases: readAliases(() => Buffer.from('1\talias\t\tOther\n'), entityCount),
    });
    const other = join(root, 'prefixes');
    const manifest = await exportBundle({ ...options, vocabulary, directory: other });
    expect(await verifyBundle(readFolder(other))).toEqual(manifest);
    expect(await readFile(join(other, prefixesPath), 'utf8')).toBe('ex:\te\n');
    const read = await readVocabulary(readFolder(other), manifest);
    expect(read.findEntity('ex:1')).toBe(1);
    expect(read.searchEntities('other').results.map(({ id }) => id)).toEqual([1]);
  }));

it('writes attributes of entities, and no file where there are none', () =>
  inBundle(async (directory, root) => {
    const options = sampleExport();
    const plain = await exportBundle({ ...options, directory });
    expect(Object.keys(plain.files)).not.toContain(attributesPath);
    expect(await readBundleAttributes(readFolder(directory), plain)).toBe(noAttributes);
    const { entityCount } = options.vocabulary;
    const columns = [{ key: 'p', label: 'height', type: 'number', language: '', unit: 'm' }] as const;
    const form = { entityCount, path: 'values', fields: ['column', 'value'] };
    const rows = readEntityRows(() => Buffer.from('1\t0\t1.5\n1\t0\tNaN\n'), form);
    const other = join(root, 'attributes');
    const manifest = await exportBundle({ ...options, attributes: { columns, rows }, directory: other });
    expect(await verifyBundle(readFolder(other))).toEqual(manifest);
    const read = await readBundleAttributes(readFolder(other), manifest);
    expect(attributesOf(read, 1).map(({ value, unit }) => `${value} ${unit}`)).toEqual(['1.5 m', 'NaN m']);
    const { [attributeValuesPath]: _, ...files } = manifest.files;
    expect(() => parseManifest({ ...manifest, files })).toThrow(attributeValuesPath);
  }));

it('writes the same bytes for the same input', () =>
  inTemporaryFolder(async (root) => {
    await exportBundle({ ...sampleExport(), directory: join(root, 'a') });
    await exportBundle({ ...sampleExport(), directory: join(root, 'b') });
    expect(await contents(join(root, 'a'))).toEqual(await contents(join(root, 'b')));
  }));

it('writes the same bytes for weights as they were fitted and as a bundle stores them', () =>
  inTemporaryFolder(async (root) => {
    const options = sampleExport();
    const { weights } = options.sets;
    const fitted = { ...weights, relations: weights.relations.map((each, i) => each + 1e-7 / (i + 3)) };
    const stored = readEvidence(writeEvidence(fitted), options.config.relations);
    expect(stored.relations).not.toEqual(fitted.relations);
    for (const [name, some] of Object.entries({ fitted, stored }))
      await exportBundle({
        ...options,
        sets: { ...options.sets, weights: some },
        directory: join(root, name),
      });
    expect(await contents(join(root, 'fitted'))).toEqual(await contents(join(root, 'stored')));
  }));

it('shows metrics as a table and keeps hostile names from becoming markup', () =>
  inBundle(async (directory) => {
    await exportBundle({
      ...sampleExport(),
      directory,
      name: 'x\n# y <script>|',
      metrics: { test: { structures: { '1p': { mrr: 0.4321, hits10: 0.5, queries: 9 } } } },
    });
    const card = await readFile(join(directory, 'README.md'), 'utf8');
    expect(card).toContain('| 1p | 43.2 | 50.0 |');
    expect(card.split('\n')[0]).toBe('# x \\# y \\<script\\>\\|');
  }));

it('refuses a parameter that is not a number and says where', () =>
  inBundle(async (directory, root) => {
    const options = sampleExport();
    const bases = basesOf(options.parameters).bases.slice();
    bases[16 * 16 + 3 * 16 + 5] = Number.NaN;
    const error = await failure({ ...options, directory, parameters: { ...options.parameters, bases } });
    expect([error.code, error.path, error.message]).toEqual([
      'checkpoint',
      'bases[1, 3, 5]',
      'expected finite numbers, got NaN',
    ]);
    expect(await readdir(root)).toEqual([]);
  }));

it('refuses parameters of another size, and a graph that the model was not trained on', () =>
  inBundle(async (directory) => {
    const options = { ...sampleExport(), directory };
    const entities = options.parameters.entities.subarray(1);
    const short = await failure({ ...options, parameters: { ...options.parameters, entities } });
    expect([short.code, short.path]).toEqual(['checkpoint', 'entities']);
    const other = await failure({ ...options, data: { ...options.data, sha256: '0'.repeat(64) } });
    expect([other.code, other.path]).toEqual(['checkpoint', 'data.sha256']);
  }));

it('refuses names, graphs, golden queries and k that do not fit the model', () =>
  inBundle(async (directory) => {
    const options = { ...sampleExport(), directory };
    const larger = sampleExport({ ...sampleConfig, entities: 41 });
    const { goldenQueries } = options;
    const query = goldenQueries[0]!;
    const cases: readonly [Partial<ExportOptions>, string, string][] = [
      [{ vocabulary: larger.vocabulary }, 'usage', 'vocabulary'],
      [{ graph: larger.graph }, 'usage', 'graph'],
      [{ k: 41 }, 'range', 'k'],
      [{ partBytes: 0 }, 'range', 'partBytes'],
      [{ partBytes: 1.5 }, 'range', 'partBytes'],
      [{ goldenQueries: goldenQueries.slice(3) }, 'usage', 'goldenQueries'],
      [
        { goldenQueries: [...goldenQueries, { ...query, anchors: [40] }] },
        'range',
        'goldenQueries[42].anchors',
      ],
      [
        { goldenQueries: [{ ...query, relations: [] }, ...goldenQueries] },
        'usage',
        'goldenQueries[0].relations',
      ],
    ];
    for (const [change, code, path] of cases) {
      const error = await failure({ ...options, ...change });
      expect([error.code, error.path]).toEqual([code, path]);
    }
  }));

it('refuses to export without evidence, or with evidence that is not that of the model', () =>
  inBundle(async (directory, root) => {
    const options = { ...sampleExport(), directory };
    const { sets } = options;
    const { weights, rules } = sets;
    const infinite = weights.relations.slice();
    infinite[4] = Number.POSITIVE_INFINITY;
    const nothing = undefined as unknown as SetsOptions; // what a program without types may give
    const cases: readonly [SetsOptions, string, string | RegExp][] = [
      [nothing, 'sets', 'expected weights of evidence and rules, got nothing'],
      [
        { ...sets, weights: { ...weights, relations: weights.relations.subarray(featureCount) } },
        'sets.weights',
        'expected those of 6 relations, got 5',
      ],
      [
        { ...sets, weights: { ...weights, relations: infinite } },
        'sets.weights',
        'expected finite numbers, got Infinity',
      ],
      [
        { ...sets, rules: { ...rules, relationCount: 8 } },
        'sets.rules',
        'expected those of 6 relations, got 8',
      ],
    ];
    for (const [given, path, message] of cases) {
      const error = await failure({ ...options, sets: given });
      expect([error.code, error.path]).toEqual(['usage', path]);
      expect(error.message).toMatch(message);
      expect(error.hint).toContain('defaultSets');
    }
    const projection = { ...sets.projection, support: 2 };
    const steep = await failure({ ...options, sets: { ...sets, projection } });
    expect(steep.message).toContain('$.sets.projection.support: expected a number in [0, 1], got 2');
    expect(await readdir(root)).toEqual([]);
  }));

it('writes the weights of evidence, the rules and how they came about', () =>
  inBundle(async (directory) => {
    const options = { ...sampleExport(), directory };
    const { weights, rules, ...entry } = options.sets;
    const manifest = await exportBundle(options);
    expect(manifest.sets).toEqual(entry);
    const { relations, entities } = options.config;
    const text = (path: string): Promise<string> => readFile(join(directory, path), 'utf8');
    expect(readEvidence(await text('evidence.json'), relations)).toEqual(weights);
    const graph = { entityCount: entities, relationCount: relations };
    const read = readRules(await text('rules.tsv'), graph);
    expect(read.rules.toSorted(compareRules)).toEqual(rules.rules.toSorted(compareRules));
    expect(await text('README.md')).toContain('the weights of evidence are the default');
    const fitted = { links: 2700, candidates: 150_000, found: 412, knownShare: 0.5 };
    const links = { count: 100, found: 20, ece: 0.0123, bins: [{ count: 100, stated: 0.21, found: 0.2 }] };
    const reliability = { links, answers: null };
    await exportBundle({ ...options, sets: { ...options.sets, fitted, reliability } });
    const card = await text('README.md');
    expect(card).toContain('fitted on 150000 candidates of 2700 links, of which 412 were hidden facts');
    expect(card).toContain('Expected calibration error 0.0123 over 100.');
  }));

it('leaves nothing behind when it fails midway, and the old bundle as it was', () =>
  inBundle(async (directory, root) => {
    const options = sampleExport();
    // Finite numbers whose sum is not: it shows only when weights are being written.
    const parameters = { ...options.parameters, bases: basesOf(options.parameters).bases.map(() => 3e38) };
    const error = await failure({ ...options, directory, parameters });
    expect(error.code).toBe('checkpoint');
    expect(error.path).toMatch(/^relationWeights\[\d+, \d+, \d+\]$/);
    expect(await readdir(root)).toEqual([]);

    await exportBundle({ ...options, directory });
    const before = await contents(directory);
    await failure({ ...options, directory, parameters });
    expect(await readdir(root)).toEqual(['bundle']);
    expect(await contents(directory)).toEqual(before);
  }));

it('replaces a bundle, an empty folder and what a link points to', () =>
  inBundle(async (directory, root) => {
    await mkdir(directory);
    await exportBundle({ ...sampleExport(), directory });
    await symlink(directory, join(root, 'link'));
    await exportBundle({ ...sampleExport(), name: 'second', directory: join(root, 'link') });
    expect((await verifyBundle(readFolder(directory))).name).toBe('second');
    expect((await readdir(root)).sort()).toEqual(['bundle', 'link']);
  }));

it('refuses to replace anything but a bundle', () =>
  inBundle(async (directory, root) => {
    const refused = async (path: string): Promise<void> => {
      const before = await contents(root);
      const error = await failure({ ...sampleExport(), directory: path });
      expect(error.code).toBe('usage');
      expect(await contents(root)).toEqual(before);
    };
    await mkdir(join(root, 'home'));
    await writeFile(join(root, 'home', 'thesis.tex'), 'years of work');
    await refused(join(root, 'home'));
    await refused(join(root, 'home', 'thesis.tex'));
    await writeFile(
      join(root, 'home', 'manifest.json'),
      '{"format":"something else","files":{"thesis.tex":{}}}',
    );
    await refused(join(root, 'home'));
    await exportBundle({ ...sampleExport(), directory });
    await writeFile(join(directory, 'notes.txt'), 'mine');
    await refused(directory);
  }));

it('says what the disk refused', () =>
  inBundle(async (_, root) => {
    await writeFile(join(root, 'file'), '');
    const error = await failure({ ...sampleExport(), directory: join(root, 'file', 'bundle') });
    expect(error.code).toBe('storage');
    expect(error.message).toBe(`folder: expected one, got a file: ${join(root, 'file')}`);
  }));

it('writes files that are noticed when a byte of any of them changes', () =>
  inBundle(async (directory) => {
    const { files } = await exportBundle({ ...sampleExport(), directory });
    for (const path of Object.keys(files)) {
      const bytes = await readFile(join(directory, path));
      const at = Math.floor(bytes.length / 2);
      bytes[at]! ^= 1;
      await writeFile(join(directory, path), bytes);
      await expect(verifyBundle(readFolder(directory)), path).rejects.toThrow(`${path}: altered`);
      bytes[at]! ^= 1;
      await writeFile(join(directory, path), bytes);
    }
    await verifyBundle(readFolder(directory));
  }));

it('refuses a bundle that is too large, with the size of every profile', () =>
  inBundle(async (directory, root) => {
    const options = { ...sampleExport(), directory, profiles: ['fp32', 'int8'] as const };
    const { files } = await exportBundle(options);
    const total = Object.entries(files).reduce((sum, [, { bytes }]) => sum + bytes, 0);
    const manifest = (await readFile(join(directory, 'manifest.json'))).length;
    await exportBundle({ ...options, maxBytes: total + manifest });
    for (const maxBytes of [total + manifest - 1, 1000]) {
      const error = await failure({ ...options, maxBytes });
      expect(error.code).toBe('usage');
      for (const name of ['fp32', 'fp16', 'int8', 'int8-basis'])
        expect(error.message).toMatch(new RegExp(`${name}: \\d+ bytes`));
      // What golden cases take is not known before they are made.
      expect(error.message.includes('takes more than')).toBe(maxBytes === 1000);
    }
    expect(await readdir(root)).toEqual(['bundle']);
  }));

it('stops where it is told to, and leaves nothing behind', () =>
  inBundle(async (directory, root) => {
    const stages = new Set<string>();
    for (const stage of ['weights', 'golden', 'quality'] as const) {
      const controller = new AbortController();
      const options = sampleExport();
      const error = await failure({
        ...options,
        directory,
        profiles: ['int8'],
        validation: options.goldenQueries.map((query) => ({ ...query, easy: [1], hard: [2] })),
        signal: controller.signal,
        onProgress: (progress) => {
          stages.add(progress.stage);
          if (progress.stage === stage) controller.abort();
        },
      });
      expect(error.code).toBe('interrupted');
      expect(await readdir(root)).toEqual([]);
    }
    expect([...stages]).toEqual(['weights', 'golden', 'quality']);
  }));

it('measures profiles beside fp32, or says why not', () =>
  inBundle(async (directory) => {
    const options = sampleExport();
    const validation = [1, 2, 3].flatMap((hard) =>
      options.goldenQueries.map((query) => ({ ...query, easy: [0], hard: [hard] })),
    );
    const { profiles } = await exportBundle({
      ...options,
      directory,
      profiles: ['fp16', 'int8'],
      validation,
    });
    for (const { quality } of Object.values(profiles)) {
      expect(quality).toMatchObject({
        embedding: { queries: validation.length },
        sets: { queries: 2 * structureNames.length },
      });
      expect((quality as MeasuredQuality).embedding.overlap10).toBeGreaterThan(0.8);
      expect((quality as MeasuredQuality).sets.overlap10).toBeGreaterThan(0.8);
    }
    const unmeasured = await exportBundle({ ...options, directory, profiles: ['int8'] });
    expect(unmeasured.profiles['int8']!.quality).toEqual({ reason: 'there were no validation queries' });
  }));

it('writes the heads of many relations, which readers count among the weights', () =>
  inBundle(async (directory) => {
    // 130 kB of heads and tails beside 4 kB of other weights.
    const config = {
      ...blocksConfig,
      ...({ projectionInput: 'domain', entities: 200, relations: 80, dimension: 4 } as const),
    };
    const manifest = await exportBundle({ ...sampleExport(config), directory });
    expect(manifest.profiles['fp32']!.bytes).toBeGreaterThan(8 * 80 * 200);
    expect(await verifyBundle(readFolder(directory))).toEqual(manifest);
  }));

it('has what is said of recorded facts, with golden answers by their confidences', () =>
  inBundle(async (directory, root) => {
    const options = sampleExport();
    const facts = options.graph.forwardTriples();
    const provenances = {
      stated: [{ confidence: 0.25 }, { source: 'atlas' }],
      // No fact stands along the last of them.
      triples: Int32Array.from([...facts, options.config.entities - 1, options.config.relations - 2, 0]),
      places: new Int32Array(facts.length / 3 + 1),
    };
    expect(options.graph.has(options.config.entities - 1, options.config.relations - 2, 0)).toBe(false);
    const manifest = await exportBundle({ ...options, directory, provenances });
    expect(await verifyBundle(readFolder(directory))).toEqual(manifest);
    const read = await readBundleProvenances(readFolder(directory), manifest);
    expect(read).toEqual({
      stated: [{ confidence: 0.25 }],
      triples: facts,
      places: new Int32Array(facts.length / 3),
    });
    const plain = join(root, 'plain');
    const { files } = await exportBundle({ ...options, directory: plain });
    expect(Object.keys(files)).not.toContain(provenancePath);
    const golden = Object.keys(files).find((path) => path.endsWith('golden.json'))!;
    expect(manifest.files[golden]!.sha256).not.toBe(files[golden]!.sha256);
    expect(manifest.files['facts.bin']).toEqual(files['facts.bin']);
    expect(manifest.data).toEqual((await verifyBundle(readFolder(plain))).data);
  }));
