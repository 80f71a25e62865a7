import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { root, run } from './workspace.ts';

/** A package as npm would publish it. */
export interface Tarball {
  readonly name: string;
  readonly path: string;
  /** The files inside. */
  readonly files: readonly string[];
}

declare module 'vitest' {
  interface ProvidedContext {
    /** Every package of packages/, built and packed. */
    readonly tarballs: readonly Tarball[];
  }
}

let folder: string | undefined;

/** Builds all packages and packs them, once for all packaging tests. */
export async function setup(project: TestProject): Promise<void> {
  const built = run('scripts/turbo.mjs', ['run', 'build', '--output-logs=errors-only']);
  if (built.status !== 0) throw new Error(`npm run build:\n${built.stdout}${built.stderr}`);
  folder = await mkdtemp(join(tmpdir(), 'fuzzqe-packed-'));
  const args = ['pack', '--workspaces', '--json', '--silent', '--pack-destination', folder];
  const packed = run('npm', args, { program: true, cwd: root });
  if (packed.status !== 0) throw new Error(`npm pack:\n${packed.stdout}${packed.stderr}`);
  const reports = JSON.parse(packed.stdout) as {
    name: string;
    filename: string;
    files: { path: string }[];
  }[];
  project.provide(
    'tarballs',
    reports.map(({ name, filename, files }) => ({
      name,
      path: join(folder!, filename),
      files: files.map(({ path }) => path),
    })),
  );
}

/** Removes what was packed. */
export async function teardown(): Promise<void> {
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
}
