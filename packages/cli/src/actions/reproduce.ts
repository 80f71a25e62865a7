import { basename, join, resolve } from 'node:path';
import { didYouMean, FuzzError } from '@fuzzqe/core';
import { quoteArgument } from '@fuzzqe/core/text';
import { type Dataset, downloadSources, isSourceAddress, loadCountries } from '@fuzzqe/data';
import { pathExists } from '@fuzzqe/files';
import { type AnyFamilyName, familyNames } from '@fuzzqe/model';
import {
  familyTitle,
  lawDraws,
  type ReproducedTable,
  type ReproduceEvent,
  type Reproduction,
  reproduce,
  reproductionFiles,
  reproductionPage,
  reproductionTable,
  tableKinds,
  tableNamed,
  withoutModel,
} from '@fuzzqe/pipeline';
import { formatColumns } from '../terminal/columns.ts';
import { interruptible } from '../terminal/interrupt.ts';
import type { NextCommand } from '../terminal/next-command.ts';
import { createNamedProgress, createProgress, formatSeconds } from '../terminal/progress.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** What `fuzzqe reproduce` was told. */
export interface ReproduceFlags {
  readonly data: string;
  readonly out?: string;
  readonly seeds?: readonly number[];
  readonly minutes?: number;
  readonly steps?: number;
  readonly each?: number;
  /** Names, separated by commas. */
  readonly families?: string;
  readonly threads: number;
  readonly json?: boolean;
  readonly markdown?: boolean;
}

/** Does `fuzzqe reproduce`. */
export async function reproduceTable(
  terminal: Terminal,
  asked: string,
  flags: ReproduceFlags,
): Promise<NextCommand> {
  const table = tableNamed(asked);
  const families = flags.families === undefined ? undefined : familiesNamed(flags.families);
  const { data, name } = await dataNamed(flags.data);
  const out = flags.out ?? join('runs', 'reproduce', name);
  const begun = Date.now();
  const report = reportReproduction(terminal, table, name);
  const { seeds, minutes, steps, each, threads } = flags;
  const made = await interruptible(terminal, (signal) =>
    reproduce({
      ...{ table, data, name, out, minutes, steps, each, threads, signal },
      ...(seeds === undefined ? {} : { seeds }),
      ...(families === undefined ? {} : { families }),
      command: [
        ...['fuzzqe reproduce', table],
        ...[...optionsOf(flags), '--threads', `${flags.threads}`].map(quoteArgument),
      ].join(' '),
      onEvent: report,
    }),
  );
  terminal.status('');
  const files = reproductionFiles(out, table);
  if (flags.json) terminal.out(JSON.stringify(made));
  else if (flags.markdown) terminal.out(reproductionPage(made).trimEnd());
  else formatReproduction(made, terminal.columns).forEach(terminal.out);
  terminal.note(`Wrote ${files.page} and ${files.json} after ${formatSeconds((Date.now() - begun) / 1000)}.`);
  const others: Readonly<Record<ReproducedTable, ReproducedTable>> = {
    links: 'laws',
    laws: 'times',
    times: 'accuracy',
    accuracy: 'links',
  };
  // Tables share runs, so the next one has the same bounds.
  const next = others[table];
  const most = tableKinds[next].seeds.length;
  return [
    ...['reproduce', next],
    ...optionsOf(seeds === undefined ? flags : { ...flags, seeds: seeds.slice(0, most) }),
    ...(flags.out === undefined ? [] : ['--out', flags.out]),
  ];
}

/** The data of a name or path: Countries, a folder that was downloaded, or triples. Throws 'usage': nothing is there. */
async function dataNamed(text: string): Promise<{ readonly data: string | Dataset; readonly name: string }> {
  if (isSourceAddress(text)) return { data: text, name: basename(text.replace(/\?.*$/, '')) || 'data' };
  const isDownload = Object.hasOwn(downloadSources, text);
  if (await pathExists(text)) return { data: text, name: basename(resolve(text)).replace(/(?<=.)\..*$/, '') };
  if (text === 'countries') return { data: loadCountries(), name: 'countries' };
  const folder = join('data', text);
  if (isDownload && (await pathExists(folder))) return { data: folder, name: text };
  throw new FuzzError('usage', `data: expected a folder, a file, or countries, got ${JSON.stringify(text)}`, {
    path: isDownload ? folder : text,
    hint: isDownload
      ? `Get it first: fuzzqe data download ${text} --out ${folder}`
      : 'Leave --data out for Countries, or give the folder of fuzzqe data import or fuzzqe data download.',
  });
}

/** The families of a list, in the order of all families. Throws 'usage': a name of no family. */
function familiesNamed(list: string): readonly AnyFamilyName[] {
  const names = list.split(',').map((name) => name.trim());
  const wrong = names.find((name) => !familyNames.some((family) => family === name));
  if (wrong !== undefined)
    throw new FuzzError('usage', `families: expected names of families, got ${JSON.stringify(wrong)}`, {
      path: '--families',
      hint: didYouMean(wrong, familyNames, `families: ${familyNames.join(', ')}`),
    });
  return familyNames.filter((family) => names.includes(family));
}

/** The options that decide a table. */
function optionsOf(flags: Omit<ReproduceFlags, 'threads' | 'out'>): readonly string[] {
  const { data, seeds, minutes, steps, each, families } = flags;
  const options: readonly (readonly [name: string, value: string | undefined])[] = [
    ['--data', data === 'countries' ? undefined : data],
    ['--seeds', seeds?.join(',')],
    ['--minutes', minutes?.toString()],
    ['--steps', steps?.toString()],
    ['--each', each?.toString()],
    ['--families', families],
  ];
  return options.flatMap(([name, value]) => (value === undefined ? [] : [name, value]));
}

/** Tells what is trained and measured. */
function reportReproduction(
  terminal: Terminal,
  table: ReproducedTable,
  name: string,
): (event: ReproduceEvent) => void {
  const show = createNamedProgress(terminal);
  const { paper, title } = tableKinds[table];
  terminal.note(`${paper}: ${title}, on ${name}`);
  let training = createProgress(terminal, 'Training', 'steps');
  let mrr = '';
  let began = Date.now();
  const endOf = (event: Extract<ReproduceEvent, { kind: 'end' }>): string =>
    event.cell.state === 'refused'
      ? `refused: ${event.cell.reason}`
      : [
          event.cell.state === 'stopped' ? 'stopped at its budget' : 'reached',
          ...event.cell.modes.slice(0, 1).map(({ run }) => `step ${run.step}`),
        ].join(', ');
  return (event) => {
    switch (event.kind) {
      case 'begin':
        mrr = '';
        began = Date.now();
        training = createProgress(
          terminal,
          `[${event.place}/${event.total}] ${familyTitle(event.family)}, seed ${event.seed}`,
          'steps',
        );
        return;
      case 'step':
        training.update(event.step, event.steps, mrr.trim(), event.secondsLeft);
        return;
      case 'validation':
        mrr = `validation MRR ${(100 * event.mrr).toFixed(1)} %`;
        return;
      case 'progress':
        show(event.what, event.unit, event.done, event.total);
        return;
      case 'evidence':
        terminal.status('');
        terminal.note(
          `${familyTitle(withoutModel)}: measured (${formatSeconds((Date.now() - began) / 1000)})`,
        );
        return;
      case 'kept':
        terminal.note(`${event.done} of ${event.total} runs were finished before.`);
        return;
      case 'end':
        terminal.status('');
        terminal.note(
          `${familyTitle(event.family)}, seed ${event.seed}: ${endOf(event)} (${formatSeconds((Date.now() - began) / 1000)})`,
        );
    }
  };
}

/** What the figures of a table are, in short. */
const unitWords: Readonly<Record<(typeof tableKinds)[ReproducedTable]['unit'], string>> = {
  mrr: 'MRR in per cent. A_p and A_n: the means without and with negation. No model: what rules, schema and facts give alone. Compare families in mode embedding.',
  law: '✓: no draw of queries broke the law. ✗: a draw broke the law. –: no such query is embedded.',
  milliseconds:
    'Milliseconds of an answer. A_p and A_n: the means without and with negation. beam-product: CQD-beam; qto: QTO.',
};

/** The lines of a table for a terminal: its means and few columns; the page has all. */
export function formatReproduction(made: Reproduction, width: number): string[] {
  const { columns, rows } = reproductionTable(made);
  const all = columns.map((_, i) => i);
  const lines = (shown: readonly number[]): string[] =>
    formatColumns(
      [
        { title: 'Model' },
        { title: 'Mode' },
        ...shown.map((i) => ({ title: columns[i]!.title, right: true })),
        { title: 'State', cut: true },
      ],
      rows.map(({ model, mode, cells, state }) => [model, mode, ...shown.map((i) => cells[i]!), state]),
      width,
    );
  const whole = lines(all);
  const fits = whole.every((line) => line.length <= width);
  const table = fits ? whole : lines(all.filter((i) => columns[i]!.isMain));
  const refused = made.rows.flatMap(({ family, reason }) =>
    reason === undefined ? [] : [`${familyTitle(family)} is refused: ${reason}.`],
  );
  const { queries } = made;
  const from = queries.part === 'test' ? 'test' : 'validation';
  const drawn = queries.set === 'drawn' ? 'drawn by FuzzQE, not the official ones' : queries.set;
  return [
    ...table,
    ...refused,
    '',
    unitWords[tableKinds[made.table].unit],
    made.table === 'laws'
      ? `${lawDraws} draws of queries for each law; seeds ${made.seeds.join(', ')}.`
      : `${queries.count} ${from} queries, ${drawn}; seeds ${made.seeds.join(', ')}.`,
    ...(fits ? [] : ['The page has all columns.']),
  ];
}
