import { readdirSync, readFileSync } from 'node:fs';
import { code, generatedPage, plain, table } from './markdown.ts';

const folder = new URL('../../../bench/records/', import.meta.url);

type Figures = Readonly<Record<string, number>>;

/** A figure of accuracy, as bench/record.schema.json describes it. */
export interface FigureRecord {
  readonly graph: string;
  readonly model: string;
  readonly preset?: string;
  readonly metric: string;
  readonly queries: string;
  readonly split: 'valid' | 'test';
  readonly n: string;
  readonly mode: 'sets' | 'embedding';
  readonly seeds: number;
  readonly mean: Figures;
  readonly deviation: Figures | null;
  readonly commit: string | null;
  readonly command: string;
  readonly machine: string;
  readonly date: string;
  readonly note?: string;
  readonly comparison: readonly {
    readonly method: string;
    readonly queries: 'same' | 'other';
    readonly mean: Figures;
    readonly source: string;
    readonly date?: string;
  }[];
}

/** The records by the name of their file, in its order. */
export function readRecords(): ReadonlyMap<string, FigureRecord> {
  const names = readdirSync(folder)
    .filter((file) => file.endsWith('.json'))
    .sort();
  return new Map(names.map((file) => [file, JSON.parse(readFileSync(new URL(file, folder), 'utf8'))]));
}

/** The order of graphs on the page; other graphs follow by name. */
const order = ['FB15k-237', 'NELL995', 'Countries', 'CoDEx-S', 'WN18RR-QA'];
const placeOf = (graph: string): string =>
  `${order.includes(graph) ? order.indexOf(graph) : order.length} ${graph}`;

const groups = ['no negation', 'negation', '1p'];

function cell(group: string, mean: Figures, deviation: Figures | null = null): string {
  const value = mean[group];
  if (value === undefined) return '–';
  const spread = deviation?.[group];
  return `${value.toFixed(1)}${spread === undefined ? '' : ` ± ${spread.toFixed(1)}`}`;
}

const best = ({ mean }: FigureRecord): number => mean['no negation'] ?? 0;

function graphSection(graph: string, records: readonly (readonly [string, FigureRecord])[]): string {
  const sorted = [...records].sort(([, a], [, b]) => best(b) - best(a));
  const rows = sorted.map(([, { model, mode, metric, mean, deviation, seeds, split, n }]) => [
    model,
    code(mode),
    metric,
    ...groups.map((group) => cell(group, mean, deviation)),
    `${seeds}`,
    `${n}, ${split}`,
  ]);
  return `### ${graph}

${table(['Model', 'Mode', 'Metric', 'No negation', 'Negation', '1p', 'Seeds', 'Queries'], rows)}${comparisons(sorted)}`;
}

/** Other methods, once each: figures on the same queries first. */
function comparisons(records: readonly (readonly [string, FigureRecord])[]): string {
  const rows = new Map<string, readonly string[]>();
  for (const kind of ['same', 'other'])
    for (const [, { comparison }] of records)
      for (const { method, queries, mean, source, date } of comparison) {
        if (queries !== kind) continue;
        const from = date === undefined ? source : `${source}, ${date}`;
        rows.set(`${method} ${from}`, [
          plain(method),
          ...groups.slice(0, 2).map((group) => cell(group, mean)),
          kind === 'same' ? 'the same queries' : '**other queries**',
          plain(from),
        ]);
      }
  if (rows.size === 0) return '';
  return `\nOther methods:\n\n${table(['Method', 'No negation', 'Negation', 'On', 'Source'], [...rows.values()])}`;
}

function origin([file, record]: readonly [string, FigureRecord]): string {
  const { graph, model, mode, queries, machine, date, commit, command, note } = record;
  const lines = [
    `- Figure: ${graph}, ${model}, mode ${code(mode)}; record [${file}](../bench/records/${file}).`,
    `- Queries: ${plain(queries)}.`,
    `- Machine: ${plain(machine)}.`,
    `- Date: ${date}. Commit: ${commit === null ? 'not kept' : code(commit)}.`,
    ...(note === undefined ? [] : [`- Note: ${plain(note)}`]),
  ];
  return `### ${file.replace('.json', '')}

${lines.join('\n')}

\`\`\`text
${command.replaceAll(' && ', '\n')}
\`\`\``;
}

/** The page of figures: a table for each graph, the method, and where each figure comes from. */
export function resultsPage(): string {
  const records = [...readRecords()];
  const graphs = [...new Set(records.map(([, { graph }]) => graph))].sort((a, b) =>
    placeOf(a) < placeOf(b) ? -1 : 1,
  );
  const board = graphs.map((graph) =>
    graphSection(
      graph,
      records.filter(([, record]) => record.graph === graph),
    ),
  );
  return generatedPage(
    'Results',
    'bench/records',
    `This page shows how well FuzzQE answers queries whose answers need a held-out fact.
All figures are per cent, means over query structures. Higher is better.

## Scoreboard

${board.join('\n')}
## Method

- **Queries.** Each query has at least one answer that needs a held-out fact. Only such answers count.
- **Ranking.** Each counted answer is ranked among all entities that are no answer. MRR is the mean of 1 / rank.
- **No negation** is the mean over nine structures: 1p, 2p, 3p, 2i, 3i, pi, ip, 2u and up.
- **Negation** is the mean over five structures: 2in, 3in, inp, pin and pni.
- **Seeds.** With several seeds the figure is their mean; ± is their standard deviation, if it was kept.
- **Modes.** [How answers are found](how-answers-are-found.md) describes the modes \`sets\` and \`embedding\`.

[Evaluation](evaluation.md) describes the protocol, and [Query notation](query-notation.md) the structures.

## How far figures are comparable

- Compare figures only on the same queries. FuzzQE draws its own queries by the published rules; papers use the official sets.
- Rows marked "other queries" are quoted from papers. They show the order of size, and do not rank methods.
- Other methods on the same queries are our implementations, written from the papers. [bench/peers](../bench/peers/README.md) has the commands.
- NELL995 and WN18RR-QA use validation queries, because the test facts are not at hand.
- Presets were chosen on validation queries of the same graph, except \`links\`.

## Where each figure comes from

${records.map(origin).join('\n\n')}`,
  );
}
