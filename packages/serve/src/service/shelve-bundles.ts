import { basename, dirname, resolve } from 'node:path';
import { bundleVersionOf, type ManifestOptions, readManifest, verifyProfile } from '@fuzzqe/bundle';
import { FuzzError } from '@fuzzqe/core';
import { type Engine, usualProfile } from '@fuzzqe/engine';
import { folderSource } from '../bundle-source.ts';
import { bundleFolder } from '../bundles/bundle-folder.ts';
import type { HubSettings } from '../bundles/hub-server.ts';
import { bytesOfModel } from '../models/bytes-of-model.ts';
import type { ModelShelf } from '../models/model-shelf.ts';
import type { Log } from '../telemetry/log.ts';
import type { Served } from './served.ts';
import { versionOf } from './version-of.ts';
import { withFolder } from './with-folder.ts';

/** How the bundles of a service come onto its shelf. */
export interface ShelvingOptions extends ManifestOptions {
  readonly shelf: ModelShelf;
  readonly hub: HubSettings;
  readonly log: Log;
  readonly profile: string | undefined;
  readonly open: (folder: string) => Promise<Engine>;
}

/** Puts a bundle onto the shelf, closed; if its name is open there, its version takes over. */
export type ShelveBundle = (
  folder: string,
  expectName: (name: string) => void,
) => Promise<Omit<Served, 'path'>>;

/** Reads manifests, and leaves all else of a bundle to its opening. */
export function shelveBundle({ shelf, profile, open, ...options }: ShelvingOptions): ShelveBundle {
  return async (folder, expectName) => {
    const manifest = await readManifest(folderSource(folder), options).catch((error: unknown) => {
      throw withFolder(error, folder);
    });
    const { name, sha256 } = manifest;
    expectName(name);
    await shelf.shelve({
      name,
      version: versionOf(folder),
      bytes: bytesOfModel(manifest, profile),
      async check() {
        const source = folderSource(folder);
        // The folder may have another version by now.
        const found = await readManifest(source, options);
        const asked = profile ?? usualProfile(found);
        const names = Object.keys(found.profiles);
        if (!names.includes(asked))
          throw new FuzzError('usage', `profile: expected one of ${names.join(', ')}, got ${asked}`, {
            path: folder,
          });
        await verifyProfile(source, found, asked);
      },
      async open() {
        const engine = await open(folder);
        if (engine.manifest.name === name) return engine;
        await engine.close();
        throw new FuzzError('bundle', `expected a version of ${name}, got ${engine.manifest.name}`, {
          path: folder,
        });
      },
    });
    return { name, folder, sha256 };
  };
}

/**
 * Puts the bundles of a service onto its shelf, each by itself: one that cannot be read goes by the name of its folder, and fails alone.
 *
 * @throws FuzzError `usage`: two bundles have one name.
 */
export async function shelveAll(
  paths: readonly string[],
  served: Served[],
  {
    shelve,
    shelf,
    hub,
    log,
    expectOwnName,
  }: Pick<ShelvingOptions, 'shelf' | 'hub' | 'log'> & {
    readonly shelve: ShelveBundle;
    readonly expectOwnName: (name: string, path: string) => void;
  },
): Promise<void> {
  for (const path of paths) {
    try {
      const folder = await bundleFolder(path, hub);
      served.push({ path, ...(await shelve(folder, (name) => expectOwnName(name, path))) });
    } catch (error) {
      hub.signal?.throwIfAborted();
      if (error instanceof FuzzError && error.code === 'usage' && error.path === path) throw error;
      const name = nameOfPath(path);
      if (shelf.names.includes(name)) log.error({ error, path }, 'a bundle cannot be read');
      else {
        shelf.shelveFailed(name, error);
        // The manifest that is read at a reload has its own name.
        served.push({ path, name, folder: path, sha256: '' });
      }
    }
    if (hub.signal?.aborted)
      throw new FuzzError('interrupted', 'the service was closed while bundles were read', { path });
  }
}

/** What a bundle without a manifest is called: as its folder, or as the folder of its versions. */
function nameOfPath(path: string): string {
  const folder = resolve(path);
  return basename(bundleVersionOf(basename(folder)) === undefined ? folder : dirname(folder));
}
