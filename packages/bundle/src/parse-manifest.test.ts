import { FuzzError } from '@fuzzqe/core';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Manifest } from './manifest.ts';
import { parseManifest } from './parse-manifest.ts';
import { sampleBundle } from './testing/sample-bundle.ts';

let manifest: Manifest;
beforeAll(async () => {
  ({ manifest } = await sampleBundle());
});

/** The manifest as JSON with one value at a path of keys changed; undefined takes the key away. */
function changed(path: readonly string[], value: unknown): unknown {
  const json: unknown = structuredClone(manifest);
  let at = json as Record<string, unknown>;
  for (const key of path.slice(0, -1)) at = at[key] as Record<string, unknown>;
  const last = path.at(-1)!;
  if (value === undefined) delete at[last];
  else at[last] = value;
  return json;
}

function refusal(json: unknown): FuzzError {
  try {
    parseManifest(json);
  } catch (error) {
    if (error instanceof FuzzError) return error;
  }
  throw new Error('expected a FuzzError');
}

const perfect = { count: 1, found: 1, ece: 0, bins: [{ count: 1, stated: 1, found: 1 }] };

describe('parseManifest', () => {
  it('reads what was written', () => {
    expect(parseManifest(JSON.parse(JSON.stringify(manifest)))).toEqual(manifest);
  });

  const earlier = /^Calibrate the run and export it again: `fuzzqe calibrate`, `fuzzqe export`/;
  it.each<[number, string, RegExp]>([
    [7, 'version: expected 6, got 7: made by a newer version', /^Upgrade/],
    [5, 'version: expected 6, got 5: made by an earlier version', earlier],
    [3, 'version: expected 6, got 3: made by an earlier version', earlier],
    [2, 'version: expected 6, got 2: made by an earlier version', earlier],
  ])('refuses version %j before anything else and says what to do', (version, message, hint) => {
    const error = refusal({ format: 'fuzzqe-bundle', version, models: 'in another way' });
    expect(error.code).toBe('bundle');
    expect(error.message).toBe(message);
    expect(error.hint).toMatch(hint);
  });

  it.each([[null], [[]], ['fuzzqe-bundle'], [{}], [{ format: 'onnx' }]])(
    'refuses %j as another format',
    (json) => {
      expect(refusal(json).message).toMatch(/^format: expected "fuzzqe-bundle", got /);
    },
  );

  it('reads what was fitted and how it did', () => {
    const fitted = { links: 10, candidates: 600, found: 12, knownShare: 0.5 };
    const sets = { ...manifest.sets, fitted, reliability: { links: perfect, answers: null } };
    expect(parseManifest(changed(['sets'], sets)).sets).toEqual(sets);
  });

  it('reads a bundle that has neither facts nor evidence, and answers by embeddings alone', () => {
    const { 'facts.bin': _, 'evidence.json': __, 'rules.tsv': ___, ...files } = manifest.files;
    const json = { ...manifest, modes: ['embedding'], files };
    expect(parseManifest(json).modes).toEqual(['embedding']);
    // Each of them alone is too much.
    for (const path of ['facts.bin', 'evidence.json', 'rules.tsv'])
      expect(refusal({ ...json, files: { ...files, [path]: manifest.files[path] } }).message).toContain(
        'expected no facts and no evidence without the mode sets',
      );
  });

  it('says everything that is wrong at once', () => {
    const { sets: _, ...rest } = changed(['name'], 3) as Record<string, unknown>;
    const { message } = refusal({ ...rest, extra: 1 });
    for (const part of ['$.name', '$.sets', '$.extra']) expect(message).toContain(part);
  });

  it('wants the graph of centroids where the model has them, and nowhere else', () => {
    const { operators } = manifest.profiles['fp32']!;
    const spare = changed(['profiles', 'fp32', 'operators', 'centroid'], operators.negation);
    expect(refusal(spare).message).toContain(
      '$.profiles.fp32.operators.centroid: expected none, for projectionInput',
    );
    const withCentroids = { relationForm: 'blocks', entityNormalisation: 'l1', projectionInput: 'domain' };
    expect(refusal(changed(['model'], { ...manifest.model, ...withCentroids })).message).toContain(
      '$.profiles.fp32.operators.centroid: expected a graph, for projectionInput domain, got none',
    );
  });

  it.each<[readonly string[], unknown, string]>([
    [['version'], '3', '$.version: expected one of 6'],
    [['version'], 1.5, '$.version: expected one of 6'],
    [['model', 'relations'], 3, '$.model.relations: expected an even number'],
    [['model', 'logic'], 'prodct', 'product'],
    [['model', 'score'], undefined, '$.model.score: expected one of "innerProduct", "cosine"'],
    [['model', 'projectionInput'], undefined, '$.model.projectionInput'],
    [['modes'], ['sets'], '$.modes: expected "embedding" among modes'],
    [['modes'], ['embedding'], '$.files: expected no facts and no evidence without the mode sets'],
    [['modes'], ['fuzzy'], '$.modes'],
    [['profiles'], {}, '$.profiles: expected at least one profile'],
    [['profiles', 'fp32', 'operators', 'anchor'], undefined, '$.profiles.fp32.operators.anchor'],
    [
      ['profiles', 'fp32', 'structures', 'pni', 'path'],
      'models/other.onnx',
      '"models/other.onnx" among the files',
    ],
    [
      ['profiles', 'fp32', 'structures', '2i', 'inputs'],
      [],
      'anchors int[batch, 2]; relations int[batch, 2]',
    ],
    [['profiles', 'fp32', 'program', 'inputs'], [], 'secondTerms int[second, 3, 3]'],
    [['profiles', 'fp32', 'edge', 'inputs'], [], 'structure int[1]; anchors int[batch, 3]'],
    [['profiles', 'fp32', 'edge', 'path'], 'models/other.onnx', '"models/other.onnx" among the files'],
    [['profiles', 'fp32', 'rank', 'weights'], ['../weights.bin'], 'a path inside the bundle'],
    [['profiles', 'fp32', 'edge'], undefined, '$.profiles.fp32.edge'],
    [['profiles', 'fp32', 'links', 'inputs'], [], 'heads int[links]; relations int[links]'],
    [['profiles', 'fp32', 'links'], undefined, '$.profiles.fp32.links'],
    [['profiles', 'fp32', 'projectSet'], {}, '$.profiles.fp32.projectSet'],
    [
      ['profiles', 'fp32', 'rank', 'inputs'],
      [],
      'embedding float[batch, 2]; allowed float[batch, 5]; k int[1]',
    ],
    [['profiles', 'fp32', 'golden'], 'golden.json', '"golden.json" among the files'],
    [['sets', 'projection', 'support'], 2, '$.sets.projection.support: expected a number in [0, 1]'],
    [['sets', 'likeness'], 0, '$.sets.likeness'],
    [['sets', 'projection', 'certainMembers'], 0, '$.sets.projection.certainMembers'],
    [['sets', 'calibration'], {}, '$.sets.calibration'],
    [['sets', 'fitted'], undefined, '$.sets.fitted'],
    [['sets', 'fitted'], { links: 1, candidates: 2, found: 1, knownShare: 0 }, '$.sets.fitted.knownShare'],
    [
      ['sets', 'reliability'],
      { links: { ...perfect, ece: 2 }, answers: null },
      '$.sets.reliability.links.ece',
    ],
    [['sets', 'reliability'], { links: perfect }, '$.sets.reliability.answers'],
    [['files', 'evidence.json'], undefined, '"evidence.json" among the files'],
    [['files', 'rules.tsv'], undefined, '"rules.tsv" among the files'],
    [['files', 'facts.bin'], undefined, '"facts.bin" among the files'],
    [['files', 'facts.bin', 'sha256'], 'F'.repeat(64), '64 lower-case hexadecimal digits'],
    [['files', 'facts.bin', 'bytes'], -1, 'an integer >= 0'],
    [['files', 'manifest.json'], { bytes: 1, sha256: '0'.repeat(64) }, 'no entry for the manifest itself'],
    [
      ['profiles', 'fp32', 'tolerances', 'degree', 'relative'],
      -1e-3,
      '$.profiles.fp32.tolerances.degree.relative',
    ],
  ])('refuses %j as %j', (path, value, message) => {
    expect(refusal(changed(path, value)).message).toContain(message);
  });

  it.each<[string, readonly string[], unknown, string]>([
    ['more entities than names', ['model', 'entities'], 2 ** 31 - 1, 'bytes for 2147483647 names'],
    ['more entities than ids', ['model', 'entities'], 2 ** 31, 'an integer in [1, 2147483647]'],
    ['more relations than names', ['model', 'relations'], 2 ** 20, 'bytes for 524288 names'],
    ['a part of a fact', ['files', 'facts.bin', 'bytes'], 13, '12 bytes for each fact'],
    ['no facts', ['files', 'facts.bin', 'bytes'], 0, 'of which there is one at least'],
    [
      'vectors that no weights hold',
      ['files', 'models/fp32/weights.bin', 'bytes'],
      9,
      'expected 10 to 65792 bytes of weights for this model, got 9',
    ],
    [
      'weights that no model fills',
      ['files', 'models/fp32/weights.bin', 'bytes'],
      2 ** 40,
      'bytes of weights for this model, got 1099511627776',
    ],
    [
      'a graph with numbers of a model',
      ['files', 'models/fp32/2i.onnx', 'bytes'],
      2 ** 20 + 1,
      'a graph of at most 1048576',
    ],
    ['a profile of another size', ['profiles', 'fp32', 'bytes'], 1, 'the sum of its files, got 1'],
  ])('refuses counts that the sizes of the files do not bear out: %s', (_, path, value, message) => {
    expect(refusal(changed(path, value)).message).toContain(message);
  });

  it('refuses edges that are not those of the facts, where these are what was trained on', () => {
    const json = changed(['data'], {
      ...manifest.data,
      sha256: manifest.files['facts.bin']!.sha256,
      edges: 4,
    });
    expect(refusal(json).message).toContain('$.data.edges: expected 2, twice the facts of the bundle, got 4');
    const right = changed(['data'], {
      ...manifest.data,
      sha256: manifest.files['facts.bin']!.sha256,
      edges: 2,
    });
    expect(parseManifest(right).data.edges).toBe(2);
  });

  it.each(['/etc/passwd', '../x', 'a/../../x', 'a/..', './a', 'a//b', 'a/', 'C:x', 'a\\b', ''])(
    'refuses the path %j',
    (path) => {
      const json = changed(['files', path], { bytes: 1, sha256: '0'.repeat(64) });
      expect(refusal(json).message).toContain('a path inside the bundle');
    },
  );

  it.each(['..a', 'a..b/c.', 'été.bin', '...'])('takes the path %j', (path) => {
    expect(
      parseManifest(changed(['files', path], { bytes: 1, sha256: '0'.repeat(64) })).files,
    ).toHaveProperty([path]);
  });
});
