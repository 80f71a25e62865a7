import { isCombined, verifyBundle } from '@fuzzqe/bundle';
import { FuzzError } from '@fuzzqe/core';
import { bundleFolder, folderSource } from '@fuzzqe/serve';
import { createProject } from 'create-fuzzqe';
import type { TemplateName } from 'create-fuzzqe/templates';
import type { Terminal } from '../terminal/terminal.ts';

/** What `fuzzqe new` was told. */
export interface NewFlags {
  /** A file of facts that is copied. */
  readonly data?: string;
  /** A bundle that is copied. */
  readonly bundle?: string;
}

/**
 * Does `fuzzqe new`: all of the project is there, or nothing.
 *
 * @throws FuzzError as `createProject`; `usage`: the bundle is none for this template. `bundle`: it is damaged.
 */
export async function newProject(
  terminal: Terminal,
  template: TemplateName,
  folder: string,
  { data, bundle }: NewFlags,
): Promise<void> {
  const next = await createProject({
    folder,
    template,
    ...(data === undefined ? {} : { data }),
    ...(bundle === undefined ? {} : { bundle: await bundleFor(template, bundle, terminal) }),
  });
  terminal.note(`Wrote ${folder}. Then: ${next.join(', ')}`);
}

/** The folder of a bundle that is whole and that a project of the template can open. */
async function bundleFor(template: TemplateName, bundle: string, terminal: Terminal): Promise<string> {
  const directory = await bundleFolder(bundle, { onNote: terminal.note });
  const { profiles } = await verifyBundle(folderSource(directory));
  const isForWorkers = Object.values(profiles).every(isCombined);
  if (template === 'worker' && !isForWorkers)
    throw new FuzzError('usage', 'expected a bundle for Workers, got one for servers', {
      path: bundle,
      hint: 'Export the run again with `--target workers`.',
    });
  if (template === 'serve' && isForWorkers)
    throw new FuzzError('usage', 'expected a bundle for servers, got one for Workers', {
      path: bundle,
      hint: 'Export the run again with `--target node`.',
    });
  return directory;
}
