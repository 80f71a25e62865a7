import { FuzzError } from '@fuzzqe/core';
import type { LinkProbability } from '@fuzzqe/core/sets';
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

const likelihood: LinkProbability = {
  temperature: 45,
  partitions: [1, 2, 3],
  knots: [{ logShare: -2, probability: 0.5 }],
  fitted: { links: 1, best: 50, candidates: 50, facts: 1 },
  test: null,
};

describe('parseManifest', () => {
  it('reads what was written', () => {
    expect(parseManifest(JSON.parse(JSON.stringify(manifest)))).toEqual(manifest);
  });

  it.each([
    [6, 'version: expected 3 or 5, got 6: made by a newer version', /^Upgrade/],
    [
      2,
      'version: expected 3 or 5, got 2: made by an earlier version',
      /^Export the run again with `fuzzqe export`/,
    ],
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
    [['version'], '3', '$.version: expected one of 3, 5'],
    [['version'], 1.5, '$.version: expected one of 3, 5'],
    [['model', 'relations'], 3, '$.model.relations: expected an even number'],
    [['model', 'logic'], 'prodct', 'product'],
    [['model', 'score'], undefined, '$.model.score: expected one of "innerProduct", "cosine"'],
    [['model', 'projectionInput'], undefined, '$.model.projectionInput'],
    [['modes'], ['sets'], '$.modes: expected "embedding" among modes'],
    [['modes'], ['embedding'], '$.version: expected 5 for a bundle without facts'],
    [['modes'], ['embedding'], '$.files: expected no facts without the mode sets'],
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
    [
      ['profiles', 'fp32', 'links', 'inputs'],
      [],
      'heads int[links]; relations int[links]; offsets float[links]',
    ],
    [['profiles', 'fp32', 'projectSet', 'inputs'], [], 'membership float[members]; recorded float[3, 5]'],
    [
      ['profiles', 'fp32', 'rank', 'inputs'],
      [],
      'embedding float[batch, 2]; allowed float[batch, 5]; k int[1]',
    ],
    [['profiles', 'fp32', 'golden'], 'golden.json', '"golden.json" among the files'],
    [['sets', 'calibration', 'cap'], 1, '$.sets.calibration.cap: expected a number in (0, 0.94]'],
    [['sets', 'fitted'], undefined, '$.sets.fitted'],
    [['sets', 'probability'], {}, '$.sets.probability'],
    [
      ['sets', 'probability'],
      { ...likelihood, knots: [...likelihood.knots, { logShare: -3, probability: 0.6 }] },
      '$.sets.probability.knots[1].logShare: expected at least -2, got -3',
    ],
    [['sets', 'probability'], likelihood, '$.sets.probability.partitions: expected length 4, got length 3'],
    [['files', 'partitions.bin'], undefined, '"partitions.bin" among the files'],
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
    [
      'partitions of other relations',
      ['files', 'partitions.bin', 'bytes'],
      12,
      '4 bytes for each of 4 relations',
    ],
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
