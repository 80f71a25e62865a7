import { describe, expect, it } from 'vitest';
import { sha256Hex } from './platform.ts';
import { type BundleSource, readGolden, readManifest } from './read-bundle.ts';
import { sampleBundle, utf8 } from './testing/sample-bundle.ts';
import { verifyBundle, verifyProfile } from './verify-bundle.ts';

describe('verifyBundle', () => {
  it('returns the manifest of a whole bundle', async () => {
    const { source, manifest } = await sampleBundle();
    expect(await verifyBundle(source)).toEqual(manifest);
  });

  it('names every file that is missing, cut off, too long, altered or extra, all at once', async () => {
    const { source, files } = await sampleBundle();
    files.delete('facts.bin');
    files.set('models/fp32/golden.json', files.get('models/fp32/golden.json')!.subarray(1));
    files.set('README.md', utf8('README.md and more'));
    files.set('models/fp32/2i.onnx', files.get('models/fp32/3i.onnx')!);
    files.set('models/fp32/4i.onnx', utf8('4i'));
    await expect(verifyBundle(source)).rejects.toMatchObject({
      code: 'bundle',
      message: expect.stringMatching(
        new RegExp(
          [
            'models/fp32/2i.onnx: altered: expected sha256 [0-9a-f]{64}, got [0-9a-f]{64}',
            'models/fp32/golden.json: cut off: expected 23 bytes, got 22',
            'README.md: too long: expected 9 bytes, got 18',
            'facts.bin: cannot be read: expected a file, got nothing',
            'models/fp32/4i.onnx: expected no such file, the manifest does not name it',
          ].join('\\n  '),
        ),
      ),
    });
  });

  it('takes extra files for granted where the source cannot list, and measures where it can', async () => {
    const { source, files, manifest } = await sampleBundle();
    files.set('extra', utf8('extra'));
    const measured: string[] = [];
    const { location, read } = source;
    await verifyBundle({
      location,
      read,
      async measure(path) {
        measured.push(path);
        return manifest.files[path]!;
      },
    });
    expect(measured).toEqual(Object.keys(manifest.files));
  });

  it('does not hide an error that is not about the bundle', async () => {
    const { source } = await sampleBundle();
    const failing = {
      ...source,
      measure: async () => {
        throw new TypeError('network');
      },
    };
    await expect(verifyBundle(failing)).rejects.toThrow(TypeError);
  });
});

describe('verifyProfile', () => {
  const measured = (source: BundleSource): BundleSource & { readonly asked: string[] } => {
    const asked: string[] = [];
    return {
      ...source,
      asked,
      async measure(path) {
        asked.push(path);
        const bytes = await source.read(path);
        return { bytes: bytes.length, sha256: await sha256Hex(bytes) };
      },
    };
  };

  it('looks at no file of another profile', async () => {
    const { source, files, manifest } = await sampleBundle(['fp32', 'int8']);
    for (const path of ['weights.bin', '2i.onnx', 'program.onnx', 'golden.json'])
      files.set(`models/int8/${path}`, utf8('damaged'));
    files.delete('models/int8/edge.onnx');
    const noting = measured(source);
    const opened = await verifyProfile(noting, manifest, 'fp32');
    expect(noting.asked).toEqual(Object.keys(manifest.files).filter((path) => !path.includes('int8')));
    expect(await opened.read('models/fp32/2i.onnx')).toEqual(utf8('models/fp32/2i.onnx'));
    // What is damaged for one is damaged for the whole bundle, and for the one itself.
    await expect(verifyBundle(source)).rejects.toThrow('models/int8/weights.bin: ');
    await expect(verifyProfile(noting, manifest, 'int8')).rejects.toThrow('models/int8/edge.onnx: cannot be');
  });

  it.each([
    'models/fp32/weights.bin',
    'models/fp32/program.onnx',
    'evidence.json',
    'rules.tsv',
    'models/fp32/golden.json',
  ])('refuses a profile with a damaged %s at once where files can be measured', async (path) => {
    const { source, files, manifest } = await sampleBundle(['fp32', 'int8']);
    files.set(path, files.get(path)!.toReversed());
    await expect(verifyProfile(measured(source), manifest, 'fp32')).rejects.toMatchObject({
      code: 'bundle',
      path: 'memory',
      message: expect.stringMatching(
        new RegExp(`^files that are not those of the manifest: ${path}: altered: [^\\n]*$`),
      ),
    });
  });

  it.each(['', 'abc', '0'.repeat(63), '"'])('refuses a manifest whose digest is %j', async (sha256) => {
    const { source, files } = await sampleBundle();
    const text = Buffer.from(files.get('manifest.json')!).toString();
    const changed = { ...(JSON.parse(text) as object), sha256 };
    files.set('manifest.json', Buffer.from(JSON.stringify(changed)));
    await expect(readManifest(source)).rejects.toMatchObject({
      code: 'bundle',
      message: expect.stringContaining('$.sha256: expected 64'),
    });
  });

  it('looks for the digest of a large manifest in seconds', async () => {
    const { source, files } = await sampleBundle();
    const sha256 = `${'0'.repeat(63)}1`;
    const json = { description: '0'.repeat(15 * 2 ** 20), format: 'fuzzqe-bundle', version: 6, sha256 };
    files.set('manifest.json', Buffer.from(JSON.stringify(json)));
    const start = process.cpuUsage();
    await expect(readManifest(source)).rejects.toThrow(`altered: expected sha256 ${sha256}`);
    // Of the processor, in microseconds; digit by digit it takes ten times as long.
    expect(process.cpuUsage(start).user).toBeLessThan(3_000_000);
  });

  it('asks for nothing before it is needed where files cannot be measured, and compares what is read', async () => {
    const { source, files, manifest } = await sampleBundle();
    const asked: string[] = [];
    const noting: BundleSource = {
      location: source.location,
      read(path) {
        asked.push(path);
        return source.read(path);
      },
    };
    const opened = await verifyProfile(noting, manifest, 'fp32');
    expect(asked).toEqual([]);
    files.set('models/fp32/edge.onnx', utf8('models/fp32/egde.onnx'));
    const refusal = {
      code: 'bundle',
      message: expect.stringMatching(/models\/fp32\/edge.onnx: altered: expected sha256/),
    };
    await expect(opened.read('models/fp32/edge.onnx')).rejects.toMatchObject(refusal);
    await expect(opened.verify!('models/fp32/edge.onnx')).rejects.toMatchObject(refusal);
    files.set('models/fp32/edge.onnx', utf8('models/fp32/edge.onnx'));
    await opened.read('models/fp32/edge.onnx');
    await opened.verify!('models/fp32/edge.onnx');
    await opened.verify!('models/fp32/edge.onnx');
    expect(asked).toHaveLength(4);
  });

  it('compares what comes at each read: a file may change while the bundle is open', async () => {
    const { source, files, manifest } = await sampleBundle();
    const opened = await verifyProfile(measured(source), manifest, 'fp32');
    await opened.read('README.md');
    files.set('README.md', utf8('README.md.'));
    await expect(opened.read('README.md')).rejects.toThrow('README.md: too long: expected 9 bytes, got 10');
  });

  it('refuses files that the manifest does not name, listed or asked for', async () => {
    const { source, files, manifest } = await sampleBundle();
    const opened = await verifyProfile(source, manifest, 'fp32');
    files.set('models/fp32/4i.onnx', utf8('4i'));
    await expect(opened.read('models/fp32/4i.onnx')).rejects.toThrow('the manifest does not name it');
    await expect(verifyProfile(source, manifest, 'fp32')).rejects.toThrow('models/fp32/4i.onnx: expected no');
  });
});

describe('readManifest and readGolden', () => {
  it('say which file is not JSON or not text', async () => {
    const { source, files, manifest } = await sampleBundle();
    const path = 'models/fp32/golden.json';
    files.set(path, utf8('{"k": 1, '));
    await expect(readGolden(source, manifest, 'fp32')).rejects.toMatchObject({ code: 'bundle', path });
    await expect(readGolden(source, manifest, 'fp64')).rejects.toMatchObject({
      code: 'usage',
      message: 'profile: expected one of fp32, got "fp64"',
    });
    files.set('manifest.json', Uint8Array.of(0xff, 0xfe));
    await expect(readManifest(source)).rejects.toMatchObject({
      code: 'bundle',
      path: 'manifest.json',
      message: 'expected UTF-8 text, got other bytes',
    });
  });
});
