import { FuzzError } from '@fuzzqe/core';
import type { Manifest } from './manifest.ts';
import type { BundleSource } from './read-bundle.ts';

/** A source that gives the files of a manifest whole, also where they lie in parts. */
export function joinParts(source: BundleSource, { files }: Pick<Manifest, 'files'>): BundleSource {
  const partsOf = (path: string) => (Object.hasOwn(files, path) ? files[path]!.parts : undefined);
  return {
    ...source,
    async read(path, most, sha256) {
      const parts = partsOf(path);
      if (parts === undefined) return source.read(path, most, sha256);
      // Each goes to its place as soon as it is there: all of them twice may be more than there is memory.
      const whole = new Uint8Array(files[path]!.bytes);
      let at = 0;
      for (const part of parts) {
        const bytes = await source.read(part.path, part.bytes, part.sha256);
        if (bytes.length !== part.bytes)
          throw new FuzzError('bundle', `expected ${part.bytes} bytes, got ${bytes.length}`, {
            path: part.path,
            hint: 'Export or download the bundle again.',
          });
        whole.set(bytes, at);
        at += bytes.length;
      }
      return whole;
    },
    async verify(path) {
      if (partsOf(path) !== undefined)
        throw new FuzzError('bundle', 'lies in parts, and this runtime opens files by their path', {
          path,
          hint: 'Export for it with `--target node`; this bundle is for Workers and browsers.',
        });
      await source.verify?.(path);
    },
  };
}
