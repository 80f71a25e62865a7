import type { BundleSource } from '@fuzzqe/core/bundle';

/** Weights files that more than one graph refers to. */
export interface WeightsCache {
  /** The bytes of a file: read once; a failed read is tried again. */
  read(path: string): Promise<Uint8Array>;
}

/** Keeps every weights file of a bundle that was asked for. */
export function createWeightsCache(source: BundleSource): WeightsCache {
  const files = new Map<string, Promise<Uint8Array>>();
  return {
    read(path) {
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
