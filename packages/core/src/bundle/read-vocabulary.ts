import { createVocabulary, type Vocabulary } from '../kg/vocabulary.ts';
import { readEntitiesTsv, readPrefixesTsv, readRelationsTsv } from '../kg/vocabulary-tsv.ts';
import { bundlePaths, type Manifest, prefixesPath } from './manifest.ts';
import { type BundleSource, readBundleText } from './read-bundle.ts';

/**
 * Reads the names of a bundle, and the prefixes where it has some.
 *
 * @throws FuzzError `bundle`: a file is missing or not UTF-8. `data`: what the readers of the files throw.
 */
export async function readVocabulary(
  source: BundleSource,
  { files }: Pick<Manifest, 'files'>,
): Promise<Vocabulary> {
  const text = (path: string): Promise<string> => readBundleText(source, path);
  const { entities, relations } = bundlePaths;
  return createVocabulary({
    entities: readEntitiesTsv(await text(entities), entities),
    relations: readRelationsTsv(await text(relations), relations),
    ...(Object.hasOwn(files, prefixesPath)
      ? { prefixes: readPrefixesTsv(await text(prefixesPath), prefixesPath) }
      : {}),
  });
}
