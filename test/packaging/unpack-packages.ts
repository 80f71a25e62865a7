import { mkdirSync, readdirSync, renameSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { Tarball } from './global-setup.ts';
import { root, run } from './workspace.ts';

/** Fills `node_modules` of a project as an installation would: with the packed packages, next to the packages that the workspace has of the registry. */
export function unpackPackages(project: string, tarballs: readonly Tarball[]): void {
  const modules = join(project, 'node_modules');
  mkdirSync(join(modules, '@fuzzqe'), { recursive: true });
  for (const { name, path } of tarballs) {
    const unpacked = run('tar', ['-xzf', path, '-C', project], { program: true });
    if (unpacked.status !== 0) throw new Error(unpacked.stderr);
    renameSync(join(project, 'package'), join(modules, name));
  }
  const own = new Set(['@fuzzqe', ...tarballs.map(({ name }) => name)]);
  for (const name of readdirSync(join(root, 'node_modules')))
    if (!own.has(name) && !name.startsWith('.'))
      symlinkSync(join(root, 'node_modules', name), join(modules, name));
}
