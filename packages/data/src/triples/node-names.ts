import { FuzzError, type NameEntry } from '@fuzzqe/core';
import { commas, forEachRecord, tabs } from '../files/delimited.ts';
import { listOf } from '../tables/table-plan.ts';
import { plainTitle } from '../tables/titles.ts';

/** Titles of keys, labels and descriptions; of each kind the one to prefer first. */
const titlesOf = {
  key: ['id', 'node_index', 'node_id', 'curie', 'entity_id', 'identifier', 'key'],
  label: ['name', 'node_name', 'entity_name', 'label', 'title'],
  description: ['description', 'definition'],
} as const;

/** Names of a file of nodes. */
export interface NodeNames {
  readonly names: ReadonlyMap<string, NameEntry>;
  /** How the file was read, in a sentence. */
  readonly note: string;
}

/**
 * Reads the names of a file of nodes by the titles of its columns, as KGX, Hetionet, PrimeKG and neo4j-admin write the titles.
 *
 * Gives undefined where line 1 has no titles of keys and labels. The first line that names a key is kept.
 *
 * @throws FuzzError `data` with `path:line`: a key that is missing; what `forEachRecord` throws.
 */
export async function readNodeNames(path: string): Promise<NodeNames | undefined> {
  const names = new Map<string, NameEntry>();
  let titles: readonly string[] | undefined;
  let columns: NameColumns | undefined;
  let repeated = 0;
  const delimiter = /\.csv(?:\.\w+)?$/i.test(path) ? commas : tabs;
  await forEachRecord(path, delimiter, (record) => {
    const cell = (column: number): string =>
      column >= 0 && column < record.count ? record.text(column).trim() : '';
    if (titles === undefined) {
      titles = Array.from({ length: record.count }, (_, i) => record.text(i));
      columns = columnsOf(titles);
      return;
    }
    if (columns === undefined) return;
    const [key, label, description] = [cell(columns.key), cell(columns.label), cell(columns.description)];
    if (key === '')
      throw new FuzzError('data', 'key: expected one, got none', {
        path: `${path}:${record.line}`,
        hint: 'Take the line out.',
      });
    // Tools that join graphs write a node once for each.
    if (names.has(key)) {
      repeated++;
      return;
    }
    names.set(key, { key, label: label || key, ...(description === '' ? {} : { description }) });
  });
  if (titles === undefined || columns === undefined) return undefined;
  const { key, label, description } = columns;
  const said = description < 0 ? '' : `, description ${titles[description]}`;
  const twice = repeated === 0 ? '' : `; passed over lines that name a key again: ${repeated}`;
  return {
    names,
    note: `${path}: took line 1 for titles: ${listOf(titles)}; key is ${titles[key]}, label ${titles[label]}${said}${twice}`,
  };
}

type NameColumns = Readonly<Record<keyof typeof titlesOf, number>>;

function columnsOf(titles: readonly string[]): NameColumns | undefined {
  // The column :LABEL of neo4j-admin holds types.
  const plain = titles.map((title) => (/:label$/i.test(title.trim()) ? '' : plainTitle(title)));
  const place = (names: readonly string[]): number =>
    names.map((name) => plain.indexOf(name)).find((at) => at >= 0) ?? -1;
  const [key, label, description] = [place(titlesOf.key), place(titlesOf.label), place(titlesOf.description)];
  return key < 0 || label < 0 ? undefined : { key, label, description };
}
