/** The largest archive that is given out, in bytes. */
export const largest: number;

/** The preset of xz with which the archive has to keep within that size, and where none is said. */
export const usualPreset: number;

/** Reads `--preset`. Throws where it is none of xz's. */
export function parsePreset(text: string): number;

/** Packs a folder as .tar.xz, with a .sha256 beside it, unless `check`, which gets the size, throws. */
export function packFolder(
  folder: string,
  archive: string,
  preset: number,
  check?: (size: number) => void,
): { readonly size: number; readonly digest: string };
