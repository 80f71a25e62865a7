import { beforeAll, describe, expect, it } from 'vitest';
import { FuzzError } from '../errors.ts';
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

describe('parseManifest', () => {
  it('reads what was written', () => {
    expect(parseManifest(JSON.parse(JSON.stringify(manifest)))).toEqual(manifest);
  });

  it('reads a bundle without the graphs that an earlier writer did not write', () => {
    const { program: _, edge: __, ...older } = manifest.profiles['fp32']!;
    expect(parseManifest(changed(['profiles', 'fp32'], older)).profiles['fp32']).toEqual(older);
  });

  it('refuses a newer version before anything else and says what to do', () => {
    const error = refusal({ format: 'fuzzqe-bundle', version: 2, models: 'in another way' });
    expect(error.code).toBe('bundle');
    expect(error.message).toBe('version: expected 1 or lower, got 2: made by a newer version');
    expect(error.hint).toMatch(/^Upgrade/);
  });

  it.each([[null], [[]], ['fuzzqe-bundle'], [{}], [{ format: 'onnx' }]])(
    'refuses %j as another format',
    (json) => {
      expect(refusal(json).message).toMatch(/^format: expected "fuzzqe-bundle", got /);
    },
  );

  it('says everything that is wrong at once', () => {
    const { tolerances: _, ...rest } = changed(['name'], 3) as Record<string, unknown>;
    const { message } = refusal({ ...rest, extra: 1 });
    for (const part of ['$.name', '$.tolerances', '$.extra']) expect(message).toContain(part);
  });

  it.each<[readonly string[], unknown, string]>([
    [['version'], 0, '$.version: expected an integer >= 1'],
    [['version'], '1', '$.version: expected an integer'],
    [['model', 'relations'], 3, '$.model.relations: expected an even number'],
    [['model', 'logic'], 'prodct', 'product'],
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
      'anchors int[batch, 2]; relations int[batch, 2]; k int[1]',
    ],
    [['profiles', 'fp32', 'program', 'inputs'], [], 'secondTerms int[second, 3, 3]'],
    [['profiles', 'fp32', 'edge', 'inputs'], [], 'structure int[1]; anchors int[batch, 3]'],
    [['profiles', 'fp32', 'edge', 'path'], 'models/other.onnx', '"models/other.onnx" among the files'],
    [['profiles', 'fp32', 'operators', 'score', 'weights'], ['../weights.bin'], 'a path inside the bundle'],
    [['files', 'golden.json'], undefined, '"golden.json" among the files'],
    [['files', 'golden.json', 'sha256'], 'F'.repeat(64), '64 lower-case hexadecimal digits'],
    [['files', 'golden.json', 'bytes'], -1, 'an integer >= 0'],
    [['files', 'manifest.json'], { bytes: 1, sha256: '0'.repeat(64) }, 'no entry for the manifest itself'],
    [['tolerances', 'score', 'relative'], -1e-3, '$.tolerances.score.relative'],
  ])('refuses %j as %j', (path, value, message) => {
    expect(refusal(changed(path, value)).message).toContain(message);
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
