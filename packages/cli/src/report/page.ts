import { type StructureName, structureNames } from '@fuzzqe/core/query';
import { pageIcon } from '@fuzzqe/core/text';
import { familyOf, traitsOf } from '@fuzzqe/model';
import type { SavedCalibration, SavedEvaluation } from '@fuzzqe/pipeline';
import {
  type LearnedQuantities,
  type LogEntry,
  learnedQuantities,
  type PublishedFigures,
  publishedFigures,
  publishedGraphs,
  type RunState,
  type TrainEntry,
  type ValidationEntry,
} from '@fuzzqe/train';
import { html, raw } from 'hono/html';
import { formatSeconds } from '../terminal/progress.ts';
import { barChart } from './bar-chart.ts';
import { evaluationSection } from './evaluation-section.ts';
import { type LineChart, lineChart } from './line-chart.ts';
import { definitionTable, type Html, style } from './page-parts.ts';
import { reliabilityFigure } from './reliability-chart.ts';

/** What a report shows. */
export interface ReportContent {
  /** What to call the run: the name of its folder. */
  readonly name: string;
  readonly state: RunState;
  readonly log: readonly LogEntry[];
  /** How it answers by fuzzy sets; undefined where it was not calibrated. */
  readonly calibration?: SavedCalibration | undefined;
  /** What `fuzzqe evaluate` kept of its best checkpoint, by titles. Default: none. */
  readonly evaluations?: Readonly<Record<string, SavedEvaluation>>;
}

/** A run as one HTML page that needs nothing else. */
export async function reportPage(content: ReportContent): Promise<string> {
  const { name, state, log, calibration, evaluations = {} } = content;
  const train = log.filter((entry): entry is TrainEntry => entry.kind === 'train');
  const validations = log.filter((entry): entry is ValidationEntry => entry.kind === 'validation');
  const best = validations.find(({ step }) => step === state.best?.step);
  const mark = best === undefined ? {} : { mark: { step: best.step, word: `best: step ${best.step}` } };
  const curve = (
    title: string,
    key: 'loss' | 'learningRate' | keyof LearnedQuantities,
    fromZero: boolean,
  ): Html =>
    lineChart({
      title,
      unit: '',
      points: train.flatMap((entry) => (entry[key] === undefined ? [] : [[entry.step, entry[key]] as const])),
      fromZero,
      ...(key === 'loss' ? complexMark(state, train.at(-1)?.step ?? 0) : {}),
    });
  const title = `${name} · ${state.data.name}`;
  const charts = [
    lineChart({
      title: 'Validation MRR, mean over structures (%)',
      unit: '%',
      points: validations.map(({ step, mrr }) => [step, 100 * mrr]),
      fromZero: true,
      ...mark,
    }),
    curve('Training loss', 'loss', false),
    curve('Learning rate', 'learningRate', true),
    ...learnedQuantities
      .filter((quantity) => train.some((entry) => entry[quantity] !== undefined))
      .map((quantity) => curve(quantity[0]!.toUpperCase() + quantity.slice(1), quantity, false)),
  ];
  const page = await html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>${raw(pageIcon)}<style>${raw(style)}</style></head>
<body>
<h1>${title}</h1>
<p class="soft">${subtitle(state)}</p>
${tiles(state, log, best)}
<section class="charts">
${charts}
</section>
${best === undefined ? '' : html`<h2>By structure</h2>${byStructure(state, best)}`}
${calibration === undefined ? '' : bySets(calibration)}
${evaluationSection(evaluations)}
<h2>Environment</h2>
${environment(state)}
<h2>Configuration</h2>
<pre>${JSON.stringify(state.config, null, 2)}</pre>
</body></html>
`;
  return page.toString();
}

/** Where other structures than 1p join in: the loss jumps there. */
function complexMark({ config }: RunState, reached: number): Pick<LineChart, 'mark'> {
  const { complexFrom, steps } = config;
  if (typeof complexFrom !== 'number' || typeof steps !== 'number') return {};
  const step = Math.ceil(complexFrom * steps);
  return step === 0 || step > reached ? {} : { mark: { step, word: 'all structures' } };
}

function subtitle({ status, model, data }: RunState): string {
  const words = { running: 'in training, or ended without notice', stopped: 'stopped', finished: 'finished' };
  return `${words[status]} · ${model.entities} entities, ${model.relations} relations with inverses · d = ${model.dimension}, ${traitsOf(model).hasMatrices ? `K = ${model.bases}` : familyOf(model).name} · graph ${data.sha256.slice(0, 12)}…, ${data.licence}`;
}

function tiles(
  { best, last }: RunState,
  log: readonly LogEntry[],
  validation: ValidationEntry | undefined,
): Html {
  const seconds = log.at(-1)?.seconds;
  const facts: readonly (readonly [string, string])[] = [
    ['best validation MRR', best?.mrr === undefined ? '–' : `${(100 * best.mrr).toFixed(1)} %`],
    ['at step', String(validation?.step ?? best?.step ?? '–')],
    ['steps trained', String(log.at(-1)?.step ?? last?.step ?? '–')],
    ['training time', seconds === undefined ? '–' : formatSeconds(seconds)],
  ];
  return html`<div class="tiles">${facts.map(
    ([word, value]) => html`<div><span class="soft">${word}</span><b>${value}</b></div>`,
  )}</div>`;
}

function byStructure({ data }: RunState, { step, structures }: ValidationEntry): Html {
  const groups = structureNames.filter((structure) => structures[structure] !== undefined);
  const percent = (of: Readonly<Partial<Record<StructureName, number>>>): (number | null)[] =>
    groups.map((structure) => (of[structure] === undefined ? null : 100 * of[structure]));
  const papers = papersOf(data.name);
  const chart = barChart({
    title: `Validation MRR at step ${step} (%)`,
    unit: '%',
    groups,
    series: [
      { name: 'this run, validation queries', values: percent(structures) },
      ...papers.map(({ source, structures: printed }) => ({ name: source, values: percent(printed) })),
    ],
  });
  const note =
    papers.length === 0
      ? ''
      : html`<p class="soft">The paper’s figures are of other queries, the official test queries: they say what to expect, and not which model is better.</p>`;
  return html`${chart}${note}`;
}

/** What the FuzzQE paper prints for a graph of this name, however it is written. */
function papersOf(name: string): readonly PublishedFigures[] {
  const letters = (text: string): string => text.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
  const graph = publishedGraphs.find((each) => letters(name).startsWith(letters(each)));
  if (graph === undefined) return [];
  return ['FuzzQE', 'FuzzQE, 1p'].flatMap((method) => publishedFigures({ graph, queries: 'betae', method }));
}

/** What degrees of answers by fuzzy sets rest on, and how they compare with what was found. */
function bySets({ fitted, reliability, rules, projection }: SavedCalibration): Html {
  const origin =
    fitted === null
      ? 'Fewer than 20 facts were held out for validation: the weights of evidence are the default ones.'
      : `${rules.rules.length} rules, schema, similar entities and the model are joined by weights that were fitted on ${fitted.candidates} candidates of ${fitted.links} links, of which ${fitted.found} are validation facts.`;
  const numbers = Object.entries(projection).map(([name, value]) => [name, String(value)] as const);
  const charts =
    reliability === null
      ? ''
      : html`${reliabilityFigure('Links: said and found on test facts', reliability.links)}${
          reliability.answers === null
            ? ''
            : reliabilityFigure('Answers to unselected queries: said and found', reliability.answers)
        }`;
  return html`<h2>Answers by fuzzy sets</h2><p class="soft">${origin}</p>${definitionTable(numbers)}${charts}`;
}

function environment({ sessions, device, origin }: RunState): Html {
  const last = sessions?.at(-1);
  if (sessions === undefined || last === undefined)
    return html`<p class="none">The run says nothing of where it was trained.</p>`;
  const { node, system, cpu, cpus, memoryGiB, versions } = last.environment;
  const began = sessions.map(({ step, started }) => `${started} from step ${step}`);
  return definitionTable([
    ['device', device],
    ['processor', `${cpu}, ${cpus} cores`],
    ['memory', `${memoryGiB} GiB`],
    ['system', system],
    ['Node', node],
    ...Object.entries(versions),
    ['trained', began.join('; ')],
    ...(origin === undefined
      ? []
      : [['goes on from', `the parameters ${origin.checkpoint}, after ${origin.steps} steps`] as const]),
  ]);
}
