import type { NameEntry, Vocabulary } from '@fuzzqe/core';
import {
  createNamesReader,
  createVocabulary,
  readAliases,
  readPrefixesTsv,
  readRelationsTsv,
} from '@fuzzqe/names';
import { aliasesPath, bundlePaths, type Manifest, prefixesPath } from './manifest.ts';
import { type BundleSource, decodeBundleText, readBundleText } from './read-bundle.ts';

/**
 * Reads the names of a bundle, and prefixes and further names where it has some. A label that is empty is the key.
 *
 * @throws FuzzError `bundle`: a file is missing or not UTF-8. `data`: what the readers of the files throw.
 * @example
 * const names = await readVocabulary(source, manifest);
 */
export async function readVocabulary(
  source: BundleSource,
  { files }: Pick<Manifest, 'files'>,
): Promise<Vocabulary> {
  const text = (path: string): Promise<string> => readBundleText(source, path);
  const { entities, relations } = bundlePaths;
  const named = shown(await namesOf(source, entities));
  const further = Object.hasOwn(files, aliasesPath) ? await source.read(aliasesPath) : undefined;
  return createVocabulary({
    entities: named,
    relations: shown(readRelationsTsv(await text(relations), relations)),
    ...(Object.hasOwn(files, prefixesPath)
      ? { prefixes: readPrefixesTsv(await text(prefixesPath), prefixesPath) }
      : {}),
    ...(further === undefined ? {} : { aliases: readAliases(() => further, named.length, aliasesPath) }),
  });
}

/** The names with keys instead of labels that are empty: anyone who lists answers has nothing else to show for them. */
function shown(entries: readonly NameEntry[]): readonly NameEntry[] {
  // There may be millions, and hardly ever one of these.
  if (entries.every(({ label }) => label !== '')) return entries;
  return entries.map((entry) => (entry.label === '' ? { ...entry, label: entry.key } : entry));
}

/** Far below the longest text that JavaScript has, and enough for a million names. */
const bytesAtOnce = 2 ** 26;

/** The names in a file, which may be longer than one text may be. */
async function namesOf(source: BundleSource, path: string): Promise<readonly NameEntry[]> {
  const reader = createNamesReader('entities', path);
  for (const piece of wholeLines(await source.read(path))) {
    const lines = decodeBundleText(source, path, piece).split('\n');
    // What follows the last line end is no line.
    if (lines.at(-1) === '') lines.pop();
    for (const line of lines) reader.add(line.endsWith('\r') ? line.slice(0, -1) : line);
  }
  return reader.entries;
}

/** Bytes of UTF-8 in pieces that end with a line; each has at most `most` bytes, or one line. */
export function* wholeLines(bytes: Uint8Array, most: number = bytesAtOnce): Generator<Uint8Array> {
  const lineEnd = 0x0a;
  for (let start = 0; start < bytes.length; ) {
    let end = Math.min(bytes.length, start + most);
    if (end < bytes.length) {
      const last = bytes.lastIndexOf(lineEnd, end - 1);
      const next = last >= start ? last : bytes.indexOf(lineEnd, end);
      end = next < 0 ? bytes.length : next + 1;
    }
    yield bytes.subarray(start, end);
    start = end;
  }
}
