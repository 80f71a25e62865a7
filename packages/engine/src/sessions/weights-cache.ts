import type { BundleSource } from '@fuzzqe/bundle';

/** Weights files that more than one graph refers to. */
export interface WeightsCache {
  /** The bytes of a file of a bundle: read once; a failed read is tried again. */
  read(source: BundleSource, path: string): Promise<Uint8Array>;
}

/** Keeps every weights file that was asked for, as long as its bundle is in use. */
export function createWeightsCache(): WeightsCache {
  const bundles = new WeakMap<BundleSource, Map<string, Promise<Uint8Array>>>();
  return {
    read(source, path) {
      const files = bundles.get(source) ?? new Map<string, Promise<Uint8Array>>();
      bundles.set(source, files);
      const known = files.get(path);
      if (known !== undefined) return known;
      const reading = source.read(path);
      files.set(path, reading);
      reading.catch(() => {
        files.delete(path);
      });
      return reading;
    },
  };
}
