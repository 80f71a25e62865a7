import { describe, expect, it } from 'vitest';
import { readGolden, readManifest } from './read-bundle.ts';
import { sampleBundle, utf8 } from './testing/sample-bundle.ts';
import { verifyBundle } from './verify-bundle.ts';

describe('verifyBundle', () => {
  it('returns the manifest of a whole bundle', async () => {
    const { source, manifest } = await sampleBundle();
    expect(await verifyBundle(source)).toEqual(manifest);
  });

  it('names every file that is missing, cut off, too long, altered or extra, all at once', async () => {
    const { source, files } = await sampleBundle();
    files.delete('facts.bin');
    files.set('golden.json', files.get('golden.json')!.subarray(1));
    files.set('README.md', utf8('README.md and more'));
    files.set('models/fp32/2i.onnx', files.get('models/fp32/3i.onnx')!);
    files.set('models/fp32/4i.onnx', utf8('4i'));
    await expect(verifyBundle(source)).rejects.toMatchObject({
      code: 'bundle',
      message: expect.stringMatching(
        new RegExp(
          [
            'models/fp32/2i.onnx: altered: expected sha256 [0-9a-f]{64}, got [0-9a-f]{64}',
            'README.md: too long: expected 9 bytes, got 18',
            'golden.json: cut off: expected 11 bytes, got 10',
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

describe('readManifest and readGolden', () => {
  it('say which file is not JSON or not text', async () => {
    const { source, files, manifest } = await sampleBundle();
    files.set('golden.json', utf8('{"k": 1, '));
    await expect(readGolden(source, manifest)).rejects.toMatchObject({ code: 'bundle', path: 'golden.json' });
    files.set('manifest.json', Uint8Array.of(0xff, 0xfe));
    await expect(readManifest(source)).rejects.toMatchObject({
      code: 'bundle',
      path: 'manifest.json',
      message: 'expected UTF-8 text, got other bytes',
    });
  });
});
