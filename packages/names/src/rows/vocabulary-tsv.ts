import { FuzzError, type NameEntry, type Prefixes } from '@fuzzqe/core';
import { escapeField, readField } from './tsv-field.ts';

/**
 * Reads `entities.tsv`: a line an entity, `id TAB key TAB label [TAB description]`, ids 0, 1, 2, … in order.
 *
 * Tabs, line ends and backslashes inside a field are written `\t`, `\n`, `\r`, `\\`.
 *
 * @throws FuzzError `data` with `path:line`: too few or too many fields, an id out of order, an unknown escape.
 *
 * @example
 * const entities = readEntitiesTsv('0\tQ142\tFrance\n');
 */
export function readEntitiesTsv(text: string, path = 'entities.tsv'): NameEntry[] {
  return readTsv(text, path, 1);
}

/** Reads `relations.tsv`: as entities, a line a forward relation, with the relation's own id: 0, 2, 4, … */
export function readRelationsTsv(text: string, path = 'relations.tsv'): NameEntry[] {
  return readTsv(text, path, 2);
}

/** Reads a file of names line by line, for files that are longer than one text may be. */
export interface NamesReader {
  /** The names of the lines so far. */
  readonly entries: readonly NameEntry[];
  /** Takes the next line, without its end. Throws: as `readEntitiesTsv`. */
  add(line: string): void;
}

/** A reader of `entities.tsv`, or of `relations.tsv`. */
export function createNamesReader(kind: 'entities' | 'relations', path = `${kind}.tsv`): NamesReader {
  const step = kind === 'entities' ? 1 : 2;
  const entries: NameEntry[] = [];
  return {
    entries,
    add(line) {
      entries.push(readNamesLine(line, entries.length, path, step));
    },
  };
}

/**
 * Writes what `readEntitiesTsv` reads.
 *
 * @example
 * writeEntitiesTsv([{ key: 'Q142', label: 'France' }]); // 0 TAB Q142 TAB France
 */
export function writeEntitiesTsv(entries: readonly NameEntry[]): string {
  return [...entitiesTsvTexts(entries)].join('');
}

/** The texts of `entities.tsv`, which may be longer together than one text may be. */
export function entitiesTsvTexts(entries: Iterable<NameEntry>): Generator<string> {
  return tsvTexts(entries, 1);
}

/** Writes what `readRelationsTsv` reads. */
export function writeRelationsTsv(entries: readonly NameEntry[]): string {
  return [...tsvTexts(entries, 2)].join('');
}

/**
 * Reads `prefixes.tsv`: a line a prefix, `ex: TAB http://example.org/`, with the escapes of `readEntitiesTsv`.
 *
 * @throws FuzzError `data` with `path:line`: no two fields, a prefix without its colon or for the second time.
 */
export function readPrefixesTsv(text: string, path = 'prefixes.tsv'): Prefixes {
  const prefixes = new Map<string, string>();
  linesOf(text).forEach((line, i) => {
    const where = `${path}:${i + 1}`;
    const [prefix, iri, ...rest] = line.split('\t').map((field) => readField(field, where));
    if (!prefix?.endsWith(':') || !iri || rest.length > 0 || prefixes.has(prefix.slice(0, -1)))
      throw new FuzzError('data', `prefix: expected a new one and its IRI, got ${JSON.stringify(line)}`, {
        path: where,
        hint: 'A line is: prefix: TAB IRI.',
      });
    prefixes.set(prefix.slice(0, -1), iri);
  });
  return prefixes;
}

/** Writes what `readPrefixesTsv` reads. */
export function writePrefixesTsv(prefixes: Prefixes): string {
  return [...prefixes].map(([name, iri]) => `${escapeField(name)}:\t${escapeField(iri)}\n`).join('');
}

function* tsvTexts(entries: Iterable<NameEntry>, step: number): Generator<string> {
  let text = '';
  let id = 0;
  for (const { key, label, description } of entries) {
    const fields = [String(id), key, label];
    if (description !== undefined) fields.push(description);
    text += `${fields.map(escapeField).join('\t')}\n`;
    id += step;
    if (text.length < 1 << 16) continue;
    yield text;
    text = '';
  }
  yield text;
}

function readTsv(text: string, path: string, step: number): NameEntry[] {
  return linesOf(text).map((line, i) => readNamesLine(line, i, path, step));
}

/** The fields of a line are found in it rather than split off: a bundle is opened for its first answer, and names are most of what it allocates. */
function readNamesLine(line: string, i: number, path: string, step: number): NameEntry {
  const idEnd = line.indexOf('\t');
  const keyEnd = line.indexOf('\t', idEnd + 1);
  const labelEnd = line.indexOf('\t', keyEnd + 1);
  const isLast = labelEnd < 0;
  if (idEnd < 0 || keyEnd <= idEnd || (!isLast && line.includes('\t', labelEnd + 1))) {
    throw new FuzzError(
      'data',
      `names: expected 3 or 4 fields between tabs, got ${line.split('\t').length}`,
      {
        path: `${path}:${i + 1}`,
        hint: 'A line is: id TAB key TAB label [TAB description].',
      },
    );
  }
  const expected = String(i * step);
  if (idEnd !== expected.length || !line.startsWith(expected)) {
    throw new FuzzError('data', `id: expected ${expected}, got ${JSON.stringify(line.slice(0, idEnd))}`, {
      path: `${path}:${i + 1}`,
      hint:
        step === 1
          ? 'Number the lines 0, 1, 2, … in order.'
          : 'Number the forward relations 0, 2, 4, … in order; inverses have no line.',
    });
  }
  const isEscaped = line.includes('\\');
  const field = (from: number, to?: number): string => {
    const text = line.slice(from, to);
    return isEscaped ? readField(text, `${path}:${i + 1}`) : text;
  };
  const key = field(idEnd + 1, keyEnd);
  const label = field(keyEnd + 1, isLast ? undefined : labelEnd);
  // One text for both where they are the same: there may be millions.
  const named = { key, label: label === key ? key : label };
  return isLast ? named : { ...named, description: field(labelEnd + 1) };
}

function linesOf(text: string): string[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines.map((line) => line.replace(/\r$/, ''));
}
