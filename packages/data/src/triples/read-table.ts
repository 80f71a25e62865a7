import { FuzzError } from '@fuzzqe/core';
import { createBadLines } from '../files/bad-lines.ts';
import { type DelimitedRecord, forEachRecord } from '../files/delimited.ts';
import type { LiteralSink } from '../literals/literal-sink.ts';
import { typeOfCell } from '../literals/literal-type.ts';
import { equals } from '../tables/survey-table.ts';
import { listOf, type TablePlan } from '../tables/table-plan.ts';
import { readTitles } from '../tables/titles.ts';
import type { GatheredProvenance } from './gather-provenance.ts';
import { createStatedRows } from './stated-rows.ts';
import { nothingLeftOut, type TripleFile, type TripleSink } from './triple-sink.ts';

/** How a table is read beside its plan. */
export interface ReadTableOptions {
  /** Whether lines that cannot be read are passed over and counted. */
  readonly skipBad?: boolean | undefined;
  readonly onRead?: ((bytes: number) => void) | undefined;
  /** Takes numbers, dates and booleans of a table of many columns; without it they are left out. */
  readonly literals?: LiteralSink | undefined;
  /** Takes what columns say of facts; without it they are passed over. */
  readonly provenance?: GatheredProvenance | undefined;
}

/**
 * Reads the facts of a table by its plan.
 *
 * @throws FuzzError `data` with `path:line`: another number of columns, an empty name; what `forEachRecord` and the sink throw.
 */
export async function readTable(
  path: string,
  plan: TablePlan,
  sink: TripleSink,
  { skipBad = false, onRead, literals: sinkOfLiterals, provenance }: ReadTableOptions,
): Promise<TripleFile> {
  const { delimiter, first, firstIs, facts, isWide } = plan;
  const bad = createBadLines();
  let [records, literals, repeated, values] = [0, 0, 0, 0];
  const ofLiterals = new Set<string>();
  const others = createOtherCells();
  const saidIn = createStatedRows(path, plan, provenance);
  const take = (record: DelimitedRecord): void => {
    records++;
    if (first !== undefined && (records === 1 || (firstIs === 'titles' && equals(record, first)))) {
      if (records > 1) repeated++;
      return;
    }
    const wrong = wrongCount(path, record, plan);
    if (wrong !== undefined) {
      bad.add(wrong);
      return;
    }
    const said = saidIn(record);
    if (typeof said !== 'number') {
      bad.add(said);
      return;
    }
    for (const { head, relation, tail, isLiteral = false } of facts) {
      if (isWide && (tail >= record.count || isBlank(record, tail))) continue;
      const title = String(relation);
      const mayBeLiteral = isWide && !isIdentifier(relation);
      let type = mayBeLiteral ? typeOfCell(record.text(tail), title) : undefined;
      if (type === undefined && mayBeLiteral && isLiteral) {
        others.add(title, record.line, record.text(tail).trim());
        type = plainText;
      }
      if (type !== undefined && !isBlank(record, head)) {
        ofLiterals.add(title);
        if (sinkOfLiterals === undefined) literals++;
        else {
          values++;
          sinkOfLiterals.value(record.text(head), title, type, record.text(tail).trim());
        }
      } else if (isBlank(record, head)) {
        bad.add(emptyCell(`${path}:${record.line}`, plan, 'head', head));
        return;
      } else if (typeof relation === 'number' && isBlank(record, relation)) {
        bad.add(emptyCell(`${path}:${record.line}`, plan, 'relation', relation));
        return;
      } else if (isBlank(record, tail)) {
        bad.add(emptyCell(`${path}:${record.line}`, plan, 'tail', tail));
        return;
      } else sink.add(record, head, relation, tail, said);
    }
  };
  const comments = await forEachRecord(path, delimiter, take, onRead, bad.add);
  if (!skipBad) bad.refuse();
  const notes = [
    ...(first === undefined ? [] : [`${path}: took line 1 for ${firstNote(plan)}; ${sink.facts} facts`]),
    ...(repeated > 0 ? [`${path}: passed over ${repeated} lines that repeat the titles`] : []),
    ...(literals > 0
      ? [
          `${path}: left out ${literals} numbers, dates and booleans, of the columns ${listOf([...ofLiterals])}`,
        ]
      : []),
    ...(values > 0
      ? [
          `${path}: ${values} numbers, dates and booleans are attributes, of the columns ${listOf([...ofLiterals])}`,
        ]
      : []),
    ...others.notes(path),
    ...plan.notes,
    ...bad.told,
  ];
  return sink.finish({ ...nothingLeftOut, comments, literals, badLines: bad.count }, notes);
}

const plainText = { type: 'text', language: '', unit: '' } as const;

/** Counts the cells of columns of numbers that are no numbers, by column, with the first cell of each. */
function createOtherCells() {
  const columns = new Map<string, { count: number; readonly line: number; readonly cell: string }>();
  return {
    add(title: string, line: number, cell: string): void {
      const known = columns.get(title);
      if (known === undefined) columns.set(title, { count: 1, line, cell });
      else known.count++;
    },
    notes: (path: string): string[] =>
      Array.from(
        columns,
        ([title, { count, line, cell }]) =>
          `${path}:${line}: ${title} has numbers, dates or booleans in nearly all lines, and ${JSON.stringify(cell.slice(0, 60))} here: ${count === 1 ? 'it is' : `${count} such cells are`} kept as a text, not as an entity`,
      ),
  };
}

/** What the first line is, and what is read of it. */
function firstNote({ first = [], firstIs, facts, isWide, said = {} }: TablePlan): string {
  if (firstIs === 'count')
    return 'the number of facts, as OpenKE writes it: columns are head, tail, relation';
  const titles = `titles: ${listOf(first)}`;
  const [columns] = facts;
  if (columns === undefined || isWide) return `${titles}; each is a relation of ${first[columns?.head ?? 0]}`;
  const { head, relation, tail } = columns;
  const inOrder = head === 0 && relation === 1 && tail === 2 && readTitles(first)?.relation === 1;
  const name = typeof relation === 'number' ? first[relation] : JSON.stringify(relation.toString());
  const order = inOrder ? '' : `; head is ${first[head]}, relation ${name}, tail ${first[tail]}`;
  const ofSaid = Object.values(said);
  const sayings = ofSaid.length > 0 ? `; provenance from ${ofSaid.map((at) => first[at]).join(', ')}` : '';
  const unused = first.flatMap((title, i) =>
    [head, relation, tail, ...ofSaid].includes(i) ? [] : [title.trim() === '' ? `column ${i + 1}` : title],
  );
  return `${titles}${order}${sayings}${unused.length > 0 ? `; not read: ${listOf(unused)}` : ''}`;
}

/** Columns of identifiers hold names, be they numbers. */
function isIdentifier(relation: number | Buffer): boolean {
  return (
    typeof relation !== 'number' && /(?:^|[_\s-])(?:id|key|code)$|[a-z]I[dD]$/i.test(relation.toString())
  );
}

function emptyCell(path: string, { first, firstIs }: TablePlan, role: string, column: number): FuzzError {
  const title = firstIs === 'titles' ? first?.[column] : undefined;
  const named = title === undefined ? role : `${JSON.stringify(title)}, the ${role}`;
  return new FuzzError(
    'data',
    `triple: expected a name in column ${column + 1} (${named}), got an empty cell`,
    {
      path,
      hint: 'Fill the cell, or leave such lines out: --skip-bad.',
    },
  );
}

function wrongCount(path: string, record: DelimitedRecord, plan: TablePlan): FuzzError | undefined {
  const { count } = record;
  if (plan.exact === undefined ? count >= plan.needed : count === plan.exact) return undefined;
  return wrongColumns(path, plan, String(count), record);
}

function wrongColumns(
  path: string,
  { delimiter, needed, exact }: TablePlan,
  got: string,
  record: DelimitedRecord,
): FuzzError {
  const { count, line } = record;
  const isTabs = delimiter.character === '\t';
  const between = isTabs
    ? 'tabs'
    : delimiter.character === ','
      ? 'commas'
      : delimiter.character === ' '
        ? 'spaces'
        : 'semicolons';
  const wanted = exact ?? needed;
  const expected =
    wanted === 3 ? 'three columns' : exact === undefined ? `${needed} columns or more` : `${exact} columns`;
  const separate = isTabs
    ? `Separate the columns by ${between}, not by spaces or commas.`
    : `Separate the columns by ${between}; for tabs, --format tsv.`;
  const hint =
    count === 1
      ? separate
      : count === 2
        ? 'For pairs without a relation: --columns \'head=1,relation="linked to",tail=2\'.'
        : count > wanted
          ? `${isTabs ? '' : 'A name with a comma stands between double quotes: "Paris, Texas",in,USA. '}${extraHint}`
          : ['head', 'relation', 'tail'].join(isTabs ? ' TAB ' : ',');
  return new FuzzError('data', `triple: expected ${expected} between ${between}, got ${got}`, {
    path: `${path}:${line}`,
    hint,
  });
}

/** Whether a field holds nothing, or white space alone: a name that nobody could see. */
function isBlank(record: DelimitedRecord, field: number): boolean {
  const { bytes } = record;
  const end = record.end(field);
  for (let at = record.start(field); at < end; at++) {
    const byte = bytes[at]!;
    // The white space beyond ASCII is for JavaScript to tell.
    if (byte >= 0x80) return record.text(field).trim() === '';
    if (byte !== 0x20 && (byte < 0x09 || byte > 0x0d)) return false;
  }
  return true;
}

const extraHint =
  'To read the first three columns, or those that titles name, give --ignore-extra; to choose them, --columns head=1,relation=2,tail=3.';
