import { type Provenances, readProvenances } from '@fuzzqe/names';
import { type Manifest, provenancePath } from './manifest.ts';
import type { BundleSource } from './read-bundle.ts';

/**
 * Reads what the data say of facts; undefined if the bundle has nothing of it.
 *
 * @throws FuzzError `bundle`: the file is missing. `data`: what `readProvenances` throws.
 */
export async function readBundleProvenances(
  source: BundleSource,
  { files, model }: Pick<Manifest, 'files' | 'model'>,
): Promise<Provenances | undefined> {
  if (!Object.hasOwn(files, provenancePath)) return undefined;
  const bytes = await source.read(provenancePath);
  const { entities: entityCount, relations: relationCount } = model;
  return readProvenances(bytes, { entityCount, relationCount, path: provenancePath });
}
