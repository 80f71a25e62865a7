import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import { join, relative, resolve, sep } from 'node:path';
import { bundlePaths, signaturePath } from '@fuzzqe/bundle';
import { FuzzError, schema } from '@fuzzqe/core';
import { onDisk, writeFolderWhole } from '@fuzzqe/files';
import { hubAttributesPath } from '../card/hub-front-matter.ts';

/**
 * Fills the folder of a bundle whole or not at all.
 *
 * What stood there before is replaced only if it is a bundle and nothing but a bundle, or empty, and only when the
 * new folder is complete. `fill` gets a temporary folder.
 *
 * @throws FuzzError `usage`: something else stands there. `runtime`: another process writes there. `storage`: the disk refuses.
 */
export async function replaceFolder<T>(
  directory: string,
  fill: (temporary: string) => Promise<T>,
): Promise<T> {
  const path = await resolveTarget(directory);
  const expectReplaceable = (): Promise<void> => checkReplaceable(path);
  await expectReplaceable();
  return onDisk('bundle', path, () => writeFolderWhole({ path, expectReplaceable }, fill));
}

/** A link to a folder keeps pointing to it: what it points to is replaced. */
async function resolveTarget(directory: string): Promise<string> {
  try {
    return await realpath(directory);
  } catch {
    return resolve(directory);
  }
}

/** @throws FuzzError `usage`: what stands there must not be replaced. */
async function checkReplaceable(target: string): Promise<void> {
  const found = await stat(target).catch(() => undefined);
  if (found === undefined) return;
  if (!found.isDirectory()) throw notABundle(target, 'a file');
  const present = await listFiles(target);
  if (present.length === 0) return;
  const named = await filesOfBundle(target);
  if (named === undefined) throw notABundle(target, `a folder with ${present.length} other files`);
  const foreign = present.find(
    (path) => ![bundlePaths.manifest, signaturePath, hubAttributesPath].includes(path) && !named.has(path),
  );
  if (foreign !== undefined) throw notABundle(target, `a bundle with a file that is not its own: ${foreign}`);
}

// Only enough to recognise a bundle: an older or newer one may be replaced, too.
const anyBundle = schema.partOf({
  format: schema.oneOf(['fuzzqe-bundle']),
  files: schema.withDefault(schema.record(schema.anything), {}),
});
const inParts = schema.partOf({ parts: schema.array(schema.partOf({ path: schema.string })) });

async function filesOfBundle(directory: string): Promise<ReadonlySet<string> | undefined> {
  const text = await readFile(join(directory, bundlePaths.manifest), 'utf8').catch(() => undefined);
  const bundle = text === undefined ? undefined : schema.recogniseJson(anyBundle, text);
  if (bundle === undefined) return undefined;
  return new Set(
    Object.entries(bundle.files).flatMap(([path, file]) => {
      const cut = schema.issuesOf(inParts, file).length === 0;
      // As its schema says.
      return cut ? (file as schema.Infer<typeof inParts>).parts.map((part) => part.path) : [path];
    }),
  );
}

function notABundle(path: string, got: string): FuzzError {
  return new FuzzError('usage', `output folder: expected a bundle or an empty or new folder, got ${got}`, {
    path,
    hint: 'Choose another folder; what stands there is left as it is.',
  });
}

/** Every file and link below a folder, sorted, as paths from the folder with `/` between folders. */
export async function listFiles(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => relative(directory, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .sort();
}
