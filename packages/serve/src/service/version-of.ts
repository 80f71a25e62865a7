import { basename } from 'node:path';
import { bundleVersionOf } from '@fuzzqe/bundle';

/** The number of a version in a repository of bundles; elsewhere there is one version. */
export function versionOf(folder: string): string {
  return `${bundleVersionOf(basename(folder)) ?? 1}`;
}
