/** The number of a version in a repository: `name/<version>/` holds a bundle. Undefined where a folder is none. */
export function bundleVersionOf(folder: string): number | undefined {
  const version = /^[1-9]\d*$/.test(folder) ? Number(folder) : Number.NaN;
  return Number.isSafeInteger(version) ? version : undefined;
}
