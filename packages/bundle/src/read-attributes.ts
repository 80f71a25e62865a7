import { type Attributes, noAttributes, readAttributes } from '@fuzzqe/names';
import { attributesPath, attributeValuesPath, type Manifest } from './manifest.ts';
import { type BundleSource, readBundleText } from './read-bundle.ts';

/**
 * Reads the numbers, dates, booleans and texts of entities; none where the bundle has none.
 *
 * @throws FuzzError `bundle`: a file is missing. `data`: what the readers of the files throw.
 */
export async function readBundleAttributes(
  source: BundleSource,
  { files, model }: Pick<Manifest, 'files' | 'model'>,
): Promise<Attributes> {
  if (!Object.hasOwn(files, attributesPath)) return noAttributes;
  const columns = await readBundleText(source, attributesPath);
  const values = await source.read(attributeValuesPath);
  return readAttributes(columns, () => values, {
    entityCount: model.entities,
    columnsPath: attributesPath,
    valuesPath: attributeValuesPath,
  });
}
