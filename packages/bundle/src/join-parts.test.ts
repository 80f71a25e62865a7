import { describe, expect, it } from 'vitest';
import { combinedCaseOf, combinedSignature } from './combined-graph.ts';
import { joinParts } from './join-parts.ts';
import { type GraphEntry, type Manifest, namedGraphs, type Profile, profileFiles } from './manifest.ts';
import { parseManifest } from './parse-manifest.ts';
import { sha256Hex } from './platform.ts';
import { sampleBundle } from './testing/sample-bundle.ts';
import { verifyBundle, verifyProfile } from './verify-bundle.ts';

const weights = 'models/fp32/weights.bin';

/** The sample bundle with its weights in two parts. */
async function inParts() {
  const { manifest, files, source } = await sampleBundle();
  const whole = files.get(weights)!;
  const cut = [whole.subarray(0, 10), whole.subarray(10)];
  files.delete(weights);
  const parts = await Promise.all(
    cut.map(async (bytes, i) => {
      files.set(`${weights}.${i}`, bytes);
      return { path: `${weights}.${i}`, bytes: bytes.length, sha256: await sha256Hex(bytes) };
    }),
  );
  const listed = { ...manifest.files, [weights]: { ...manifest.files[weights]!, parts } };
  const split: Manifest = { ...manifest, files: listed };
  const open = async () => joinParts(await verifyProfile(source, split, 'fp32'), split);
  return { whole, split, files, source, open };
}

describe('files in parts', () => {
  it('are read as one, and are files of the manifest', async () => {
    const { whole, split, open } = await inParts();
    const source = await open();
    expect(await source.read(weights)).toEqual(whole);
    expect(await source.read('facts.bin')).toHaveLength(12);
    expect(parseManifest(JSON.parse(JSON.stringify(split)))).toEqual(split);
  });

  it('are compared part by part, and the part is named', async () => {
    const { files, open } = await inParts();
    const part = files.get(`${weights}.1`)!;
    files.set(`${weights}.1`, part.with(0, part[0]! ^ 1));
    await expect((await open()).read(weights)).rejects.toMatchObject({
      code: 'bundle',
      message: expect.stringContaining(`${weights}.1: altered`),
    });
    files.delete(`${weights}.1`);
    await expect((await open()).read(weights)).rejects.toMatchObject({
      code: 'bundle',
      path: `${weights}.1`,
    });
  });

  it('are refused by runtimes that open a file by its path', async () => {
    const { open } = await inParts();
    const source = await open();
    await source.verify!('facts.bin');
    await expect(source.verify!(weights)).rejects.toMatchObject({
      code: 'bundle',
      hint: expect.stringContaining('--target node'),
    });
  });

  it('are all that has to be there', async () => {
    const { source, split, files } = await inParts();
    await verifyProfile({ ...source, measure: (path) => measured(files, path) }, split, 'fp32');
    files.set(weights, new Uint8Array(1));
    await expect(
      verifyProfile({ ...source, measure: (path) => measured(files, path) }, split, 'fp32'),
    ).rejects.toMatchObject({ message: expect.stringContaining(`${weights}: expected no such file`) });
    await expect(verifyBundle(source)).rejects.toMatchObject({ code: 'bundle' });
  });

  it.each<[string, (split: Manifest) => unknown, string]>([
    ['of other sizes', (split) => withPart(split, { bytes: 9 }), 'bytes in all'],
    ['with a path of another file', (split) => withPart(split, { path: 'facts.bin' }), 'no other file has'],
  ])('are refused %s', async (_, change, message) => {
    const { split } = await inParts();
    expect(() => parseManifest(JSON.parse(JSON.stringify(change(split))))).toThrow(message);
  });
});

describe('combined graphs', async () => {
  const { manifest } = await sampleBundle();
  const combined = combinedManifest(manifest);

  it('are read as they were written', () => {
    expect(parseManifest(JSON.parse(JSON.stringify(combined)))).toEqual(combined);
  });

  const change = (to: (profile: Profile) => Partial<Profile>): unknown => {
    const profile = combined.profiles['fp32']!;
    return { ...combined, profiles: { fp32: { ...profile, ...to(profile) } } };
  };
  it.each<[string, unknown, string]>([
    [
      'where one is another case',
      change(({ links }) => ({ links: { ...links, case: 3 } })),
      '$.profiles.fp32.links.case: expected 6, got 3',
    ],
    [
      'where one has a file of its own',
      change(({ links }) => ({ links: { ...links, path: 'facts.bin' } })),
      '$.profiles.fp32.links.path: expected models/fp32/edge.onnx',
    ],
    [
      'where a structure has a graph',
      change(() => {
        const { structures } = manifest.profiles['fp32']!;
        return structures === undefined ? {} : { structures };
      }),
      '$.profiles.fp32.structures: expected none, as graphs are combined, got one',
    ],
    [
      'where only some are combined',
      change(({ rank: { case: _, ...rank } }) => ({ rank })),
      '$.profiles.fp32.project.case: expected none, got 1',
    ],
  ])('are refused %s', (_, json, message) => {
    expect(() => parseManifest(JSON.parse(JSON.stringify(json)))).toThrow(message);
  });
});

const measured = async (files: ReadonlyMap<string, Uint8Array>, path: string) => {
  const bytes = files.get(path)!;
  return { bytes: bytes.length, sha256: await sha256Hex(bytes) };
};

function withPart(split: Manifest, change: object): unknown {
  const [first, ...rest] = split.files[weights]!.parts!;
  const file = { ...split.files[weights]!, parts: [{ ...first, ...change }, ...rest] };
  return { ...split, files: { ...split.files, [weights]: file } };
}

/** The same profile with all graphs in the file of the edge graph. */
function combinedManifest(manifest: Manifest): Manifest {
  const profile = manifest.profiles['fp32']!;
  const { path } = profile.edge;
  const names = new Map<GraphEntry, string>(namedGraphs(profile).map(([name, graph]) => [graph, name]));
  const asCase = (graph: GraphEntry): GraphEntry => ({
    ...graph,
    path,
    case: combinedCaseOf(names.get(graph)!),
  });
  const each = <K extends string>(graphs: Readonly<Record<K, GraphEntry>>): Record<K, GraphEntry> =>
    // Every key keeps a graph, which is what the record says.
    Object.fromEntries(
      Object.entries<GraphEntry>(graphs).map(([name, graph]) => [name, asCase(graph)]),
    ) as Record<K, GraphEntry>;
  const { structures: _, program: __, ...kept } = profile;
  const { rank, links, operators } = kept;
  const combined: Profile = {
    ...kept,
    operators: each(operators as Omit<typeof operators, 'centroid'>), // the sample has none
    ...each({ rank, links }),
    edge: { ...profile.edge, ...combinedSignature(manifest.model) },
  };
  const bytes = profileFiles(combined).reduce((sum, file) => sum + manifest.files[file]!.bytes, 0);
  return { ...manifest, profiles: { fp32: { ...combined, bytes } } };
}
