import { bundlePaths, prefixesPath } from '@fuzzqe/bundle';
import { describe, expect, it } from 'vitest';
import { openEngine } from './index.ts';
import { type MemoryBundle, memoryBundle, referenceSessions } from './testing/index.ts';

async function opening(change: (bundle: MemoryBundle) => void, verify = true): Promise<unknown> {
  const bundle = await memoryBundle();
  change(bundle);
  const { source, config, parameters } = bundle;
  return openEngine({ source, sessions: referenceSessions(config, parameters), verify });
}

const flip = (bundle: MemoryBundle, path: string): void => {
  const bytes = Uint8Array.from(bundle.files.get(path)!);
  bytes[bytes.length - 1]! ^= 1;
  bundle.files.set(path, bytes);
};

describe('opening a bundle', () => {
  it.each([
    bundlePaths.entities,
    bundlePaths.relations,
    prefixesPath,
    bundlePaths.facts,
    bundlePaths.evidence,
    bundlePaths.rules,
    'models/fp32/golden.json',
    'models/fp32/links.onnx',
    'models/fp32/weights.bin',
    'models/fp32/2i.onnx',
  ])('refuses one with an altered %s, and names the file', async (path) => {
    await expect(opening((bundle) => flip(bundle, path))).rejects.toMatchObject({
      code: 'bundle',
      message: expect.stringContaining(path),
    });
  });

  it('refuses one with a file missing, and names it', async () => {
    await expect(opening(({ files }) => files.delete('models/fp32/pni.onnx'))).rejects.toMatchObject({
      code: 'bundle',
      message: expect.stringContaining('models/fp32/pni.onnx'),
    });
  });

  it('refuses one without a manifest', async () => {
    await expect(opening(({ files }) => files.delete(bundlePaths.manifest))).rejects.toMatchObject({
      code: 'bundle',
    });
  });

  it('knows the prefixes of the bundle, where there are some', async () => {
    for (const prefixes of [true, false]) {
      const { source, config, parameters } = await memoryBundle({ prefixes });
      const { vocabulary } = await openEngine({ source, sessions: referenceSessions(config, parameters) });
      expect(vocabulary.prefixes.size).toBe(prefixes ? 1 : 0);
      if (prefixes) expect(vocabulary.findEntity('ex:7')).toBe(7);
      else expect(() => vocabulary.findEntity('ex:7')).toThrow('expected a key or label');
    }
    const damage = ({ files }: MemoryBundle) => files.set(prefixesPath, new TextEncoder().encode('ex\te\n'));
    await expect(opening(damage, false)).rejects.toMatchObject({ code: 'bundle', path: `${prefixesPath}:1` });
  });

  it('opens what it was told not to verify, unless it contradicts itself', async () => {
    await opening((bundle) => flip(bundle, 'models/fp32/weights.bin'), false);
    const shorter = ({ files }: MemoryBundle): void => {
      files.set(bundlePaths.entities, new TextEncoder().encode('0\te0\tEntity 0\n'));
    };
    await expect(opening(shorter, false)).rejects.toMatchObject({
      code: 'bundle',
      path: bundlePaths.entities,
    });
    const beyond = ({ files }: MemoryBundle): void => {
      files.set(bundlePaths.facts, new Uint8Array(12).fill(1));
    };
    await expect(opening(beyond, false)).rejects.toMatchObject({ code: 'bundle' });
  });
});
