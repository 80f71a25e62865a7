import type { StructureName } from '@fuzzqe/core/query';
import { averages } from '@fuzzqe/core/ranking';
import {
  type Figures,
  meanOfRuns,
  type ReproducedRow,
  type Reproduction,
  type RowState,
  withoutModel,
} from './reproduction.ts';
import { type FigureUnit, lawDraws, tableKinds, timing } from './table-kinds.ts';

/** A table as text: a row for each family and mode, and for each row of the paper. */
export interface ReproductionTable {
  readonly columns: readonly {
    readonly title: string;
    /** Whether a narrow table has it. */
    readonly isMain: boolean;
  }[];
  readonly rows: readonly {
    readonly model: string;
    readonly mode: string;
    readonly state: string;
    readonly cells: readonly string[];
  }[];
}

/** Families as papers call them; another family has its own name. */
const titles: Readonly<Record<string, string>> = {
  bases: 'FuzzQE, bases',
  blocks: 'FuzzQE, blocks',
  gqe: 'GQE',
  gqeDeepSets: 'GQE, DeepSets',
  query2box: 'Query2Box',
  betae: 'BetaE',
  betaeDm: 'BetaE, De Morgan',
  complex: 'ComplEx-N3',
  [withoutModel]: 'No model',
};

/** A family as papers call it. */
export const familyTitle = (family: string): string =>
  Object.hasOwn(titles, family) ? titles[family]! : family;

const stateWords: Readonly<Record<RowState, string>> = {
  reached: 'reached',
  stopped: 'stopped at its budget',
  open: 'open',
  refused: 'refused',
  untrained: 'needs no training',
};

/** The means that stand before the columns. */
type MeanName = 'withoutNegation' | 'withNegation' | 'mean';
const meansOfUnit: Readonly<Record<FigureUnit, readonly MeanName[]>> = {
  mrr: ['withoutNegation', 'withNegation'],
  law: [],
  milliseconds: ['withoutNegation', 'withNegation', 'mean'],
};
const meanTitles: Readonly<Record<MeanName, string>> = {
  withoutNegation: 'A_p',
  withNegation: 'A_n',
  mean: 'mean',
};

/** Lays a table out. */
export function reproductionTable(made: Reproduction): ReproductionTable {
  const { unit, columns } = tableKinds[made.table];
  const found = [
    ...made.rows.flatMap(({ runs }) => runs.map(({ figures }) => figures)),
    ...made.published.map(({ figures }) => figures),
  ];
  const shown = columns.filter((column) => found.some((figures) => column in figures));
  const means = meansOfUnit[unit];
  const text = (value: number | undefined, spread?: number): string => {
    if (value === undefined) return '–';
    if (unit === 'law') return value === 1 ? '✓' : '✗';
    const [factor, digits] = unit === 'mrr' ? [100, 1] : [1, value < 10 ? 2 : 1];
    const written = (factor * value).toFixed(digits);
    return spread === undefined ? written : `${written} ± ${(factor * spread).toFixed(digits)}`;
  };
  const meansOf = (figures: Figures): Figures =>
    Object.fromEntries(
      means.flatMap((name): [string, number][] => {
        const over =
          name === 'mean' ? shown : averages[name].structures.filter((each) => shown.includes(each));
        const values = over.flatMap((each) => figures[each as StructureName] ?? []);
        if (values.length === 0 || values.length < over.length) return [];
        return [[name, values.reduce((sum, each) => sum + each, 0) / values.length]];
      }),
    );
  const cellsOf = (figures: Figures, deviation: Figures = {}): string[] => [
    ...means.map((name) => text(figures[name], deviation[name])),
    ...shown.map((column) => text(figures[column])),
  ];
  const ours = made.rows.map((row) => {
    const { mean, deviation } = meanOfRuns(
      row.runs.map((run) => ({ ...run, figures: { ...run.figures, ...meansOf(run.figures) } })),
    );
    return {
      ...{ model: familyTitle(row.family), mode: row.mode ?? '–', state: stateOf(row, made) },
      cells: cellsOf(mean, deviation),
    };
  });
  const papers = made.published.map(({ method, figures }) => ({
    ...{ model: method, mode: '–', state: 'published' },
    cells: cellsOf(figures),
  }));
  return {
    columns: [
      ...means.map((name) => ({ title: meanTitles[name], isMain: true })),
      ...shown.map((title) => ({ title, isMain: unit === 'law' || title === '1p' })),
    ],
    rows: [...ours, ...papers],
  };
}

/** The state of a row in words; of several seeds, how many runs there are. */
function stateOf({ state, runs }: ReproducedRow, { seeds }: Reproduction): string {
  return state === 'open' ? `open, ${runs.length} of ${seeds.length} seeds` : stateWords[state];
}

const units = {
  mrr: 'MRR in per cent, filtered, over answers that need a held-out fact. A_p and A_n are the means without and with negation. Mode sets joins the model with rules, schema and similar entities, which need no training. The row "No model" has what they give alone, so a model that has hardly trained has almost the same figures. Compare families in mode embedding.',
  law: `✓: ${lawDraws} draws of queries have no counter-example to the law, which is no proof. ✗: a draw broke the law. –: the model embeds no query that the law needs.`,
  milliseconds: `Milliseconds of one answer of ${timing.listed} entities, one query at a time on one thread: the median of ${timing.queries} queries, or of the queries that end within ${timing.seconds} seconds. Modes beam-product and qto are CQD-beam and QTO over the links of the row's model.`,
} as const;

/**
 * The page of a table, in Markdown.
 *
 * @example
 * const page = reproductionPage(await readReproduction('runs/reproduce/countries/links.json'));
 */
export function reproductionPage(made: Reproduction): string {
  const { paper, title, unit } = tableKinds[made.table];
  const { columns, rows } = reproductionTable(made);
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  const head = ['Model', 'Mode', 'State', ...columns.map((column) => column.title)];
  const table = [
    line(head),
    `|---|---|---|${'---:|'.repeat(columns.length)}`,
    ...rows.map(({ model, mode, state, cells }) => line([model, mode, state, ...cells])),
  ];
  const { data } = made;
  return `${[
    `# ${paper}: ${title}, on ${data.name}`,
    units[unit],
    table.join('\n'),
    ...reasons(made),
    '## How the figures were made',
    [
      `- Data: ${data.name}, ${data.entities} entities, ${data.relations} relations with inverses, ${data.facts} training facts, SHA-256 \`${data.sha256}\`.`,
      queriesLine(made),
      `- Seeds: ${made.seeds.join(', ')}.${made.seeds.length > 1 ? ' Figures are means over seeds; ± is the standard deviation.' : ''}`,
      ...boundLines(made),
      ...sources(made),
      ...lawNotes(made),
      `- Machine: ${made.made.machine.cpu}, ${made.made.machine.cpus} cores, Node ${made.made.machine.node.replace('v', '')}.`,
      `- Date: ${made.made.date.slice(0, 10)}.`,
    ].join('\n'),
    ...(made.made.command === '' ? [] : [`Repeat it with:\n\n\`\`\`text\n${made.made.command}\n\`\`\``]),
  ].join('\n\n')}\n`;
}

const setWords: Readonly<Record<string, string>> = {
  betae: 'official queries of BetaE',
  drawn: '**drawn** by FuzzQE with the rules of BetaE, not the official queries',
};

function queriesLine({ queries, published, table }: Reproduction): string {
  if (table === 'laws')
    return `- Queries: ${lawDraws} draws for each law, of 4 validation queries of each structure that the bundle has as golden queries.`;
  const { set, part, count, of, each, sha256 } = queries;
  const which =
    part === 'valid' ? 'validation queries, which also chose the step of each model' : 'test queries';
  const sample = count < of ? `${count} of ${of}, at most ${each} of each structure,` : `${count}`;
  const isSame = set === 'betae' && part === 'test' && count === of;
  const note =
    published.length === 0 || isSame
      ? ''
      : ' Published figures are of all official test queries, so they are not comparable.';
  return `- Queries: ${sample} ${which}, ${setWords[set] ?? set}; SHA-256 of the file \`${sha256}\`.${note}`;
}

function boundLines({ bounds, rows }: Reproduction): string[] {
  const { minutes, steps } = bounds;
  const bound = [
    ...(minutes === undefined ? [] : [`${minutes} minutes`]),
    ...(steps === undefined ? [] : [`${steps} steps`]),
  ];
  const said = bound.length === 0 ? 'the default, 15 minutes' : bound.join(' and ');
  const ends = rows
    .filter(({ runs, state }) => runs.length > 0 && state !== 'untrained')
    .map(({ family, runs }) => `${familyTitle(family)} ${runs.map(({ step }) => step).join(', ')}`);
  return [
    `- Training of each run: ${said} at most. "Reached": validation stalled, or all steps of the preset were done. "Stopped at its budget": the minutes or steps of this call ended a run that had not stalled.`,
    ...(ends.length === 0 ? [] : [`- Steps by seed: ${[...new Set(ends)].join('; ')}.`]),
  ];
}

function sources({ published, data }: Reproduction): string[] {
  if (published.length === 0) return [`- Published figures: the paper has none for ${data.name}.`];
  const bySource = [...new Set(published.map(({ source }) => source))];
  return bySource.map(
    (source) =>
      `- Published, ${published
        .filter((row) => row.source === source)
        .map(({ method }) => method)
        .join(', ')}: ${source}.`,
  );
}

/** Why a row of laws can differ from a published row. */
function lawNotes({ table, rows }: Reproduction): string[] {
  if (table !== 'laws') return [];
  return [
    "- A published row says which laws the formulas of a method satisfy, and – there means that the paper prints N/A. Our rows say which laws one trained model keeps in the draws, and our formulas can differ: conjunctions of GQE, Query2Box and BetaE keep their operands' weights, so they are associative (III).",
    ...(rows.some(({ family }) => family === 'blocks')
      ? [
          '- FuzzQE, blocks: its preset has the negation (1 − a) / (1 + λa) with λ = −0.5, with which scores of embeddings lose law VIII. The paper has λ = 0, as FuzzQE, bases has.',
        ]
      : []),
  ];
}

/** Why families are refused, and what breaks laws. */
function reasons({ rows }: Reproduction): string[] {
  const refused = rows.flatMap(({ family, reason }) =>
    reason === undefined ? [] : [`- ${familyTitle(family)} is refused: ${reason}.`],
  );
  const broken = rows.flatMap(({ family, mode, runs }) =>
    [...new Map(runs.flatMap(({ examples = {} }) => Object.entries(examples)))].map(
      ([law, example]) => `- ${familyTitle(family)}, mode ${mode}, law ${law}: ${example}.`,
    ),
  );
  return [
    ...(refused.length === 0 ? [] : [refused.join('\n')]),
    ...(broken.length === 0 ? [] : [`Laws that were broken:\n\n${broken.join('\n')}`]),
  ];
}
