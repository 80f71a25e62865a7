import { mkdir, readdir, rmdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { bundleVersionOf } from '@fuzzqe/bundle';
import { expectOptions, FuzzError } from '@fuzzqe/core';
import { makeFolder, onDisk } from '@fuzzqe/files';

/** A place in a repository of bundles: `<repository>/<name>/<version>`. */
export interface VersionLocation {
  readonly repository: string;
  readonly name: string;
  /** In [1, 2⁵³). Default: one more than the largest there. */
  readonly version?: number;
}

/**
 * Fills the folder of a new version; a version that exists is never written again.
 *
 * The number is taken before the work begins, by an empty folder, so that exports at the same time get different ones.
 * Readers pass over it until the bundle stands in its place; where `fill` fails it is removed.
 *
 * @throws FuzzError `usage`: the version exists, or the name is none of a folder. `storage`: the disk refuses.
 * @example
 * await inVersionFolder({ repository: 'bundles', name: 'mine' }, (directory) =>
 *   writeModel({ ...trained, directory }),
 * );
 */
export async function inVersionFolder<T>(
  place: VersionLocation,
  fill: (folder: string) => Promise<T>,
): Promise<T> {
  expectOptions('inVersionFolder', place, ['repository', 'name']);
  const folder = await reserve(place);
  try {
    return await fill(folder);
  } catch (cause) {
    // A folder that is not empty is left: it was filled, and something failed afterwards.
    await rmdir(folder).catch(() => {});
    throw cause;
  }
}

async function reserve({ repository, name, version }: VersionLocation): Promise<string> {
  if (!/^[^./\\:\0][^/\\:\0]*$/.test(name))
    throw new FuzzError('usage', `name: expected the name of a folder, got ${JSON.stringify(name)}`, {
      hint: 'In a repository it must not begin with a dot or hold any of / \\ and :.',
    });
  if (version !== undefined && bundleVersionOf(`${version}`) === undefined)
    throw new FuzzError('usage', `version: expected a whole number above 0, got ${version}`, {
      hint: 'Leave it out for the next one.',
    });
  const model = resolve(repository, name);
  return onDisk('bundle', model, async () => {
    await makeFolder(model);
    const there = await readdir(model);
    if (there.includes('manifest.json'))
      throw new FuzzError('usage', 'expected a folder of versions, got a bundle', {
        path: model,
        hint: 'It is left as it is. Choose another name or another repository.',
      });
    const taken = there.flatMap((folder) => bundleVersionOf(folder) ?? []);
    let next = version ?? Math.max(0, ...taken) + 1;
    while (!(await created(join(model, `${next}`)))) {
      if (version !== undefined)
        throw new FuzzError(
          'usage',
          `version ${version} of ${name} exists, and versions are never replaced`,
          {
            path: join(model, `${version}`),
            hint: `Leave the version out for the next one, which is ${Math.max(...taken) + 1}.`,
          },
        );
      next += 1;
    }
    return join(model, `${next}`);
  });
}

async function created(folder: string): Promise<boolean> {
  try {
    await mkdir(folder);
    return true;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw cause;
  }
}
