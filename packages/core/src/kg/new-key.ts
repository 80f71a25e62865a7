import { keyBehind } from './prefixes.ts';
import { inverseSuffix, type NameKind, type Vocabulary } from './vocabulary.ts';

/**
 * The key of the entity or relation that a name would create: the key behind `<key>` or `prefix:rest`, or the name.
 *
 * Undefined for `#id`, for a name by which the graph calls some already, as a label that several share, and for what is no key: an empty
 * text, or a relation that ends in `^-1`.
 *
 * @param name one that the graph does not find.
 */
export function newKeyOf(vocabulary: Vocabulary, kind: NameKind, name: string): string | undefined {
  if (/^#\d+$/.test(name)) return undefined;
  const search = kind === 'entity' ? vocabulary.searchEntities : vocabulary.searchRelations;
  const { results } = search(name, { limit: 2, misspelt: false });
  if (results.some(({ key, label }) => key === name || label.toLowerCase() === name.toLowerCase()))
    return undefined;
  const key = keyBehind(name, vocabulary.prefixes) ?? name;
  return key === '' || (kind === 'relation' && key.endsWith(inverseSuffix)) ? undefined : key;
}
