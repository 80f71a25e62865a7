import { basename, join } from 'node:path';
import { FuzzError, schema, type Vocabulary } from '@fuzzqe/core';
import { structureNames } from '@fuzzqe/core/query';
import { averages, type MetricsReport, type RankingMetrics } from '@fuzzqe/core/ranking';
import { pathExists, readWholeFile, takeLock, writeFileWhole } from '@fuzzqe/files';
import { readRunState } from '@fuzzqe/train';
import { type AnswerMode, answerModes } from './candidate-model.ts';
import type { ComparedModel } from './compare-models.ts';
import { type SavedLinks, savedLinks, savedLinksSchema } from './saved-links.ts';

/** The figures of a run's best checkpoint on one file of queries, as the model card shows them. */
export interface SavedEvaluation {
  readonly data: string;
  readonly split: 'valid' | 'test';
  readonly mode: AnswerMode;
  /** With the name of their set, where they have one. */
  readonly queries: {
    readonly file: string;
    readonly sha256: string;
    readonly count: number;
    readonly set?: string;
  };
  readonly structures: MetricsReport['structures'];
  readonly own?: MetricsReport['own'];
  readonly averages: Averages;
  /** Of each baseline on the same queries. */
  readonly baselines: Readonly<Record<string, Averages>>;
  /** Whether the weights of evidence were fitted on the facts that the hard answers need. Default false. */
  readonly fittedOnAnswers?: boolean;
  /** Of 1p queries, where there are some. */
  readonly links?: SavedLinks;
}

type Averages = Readonly<Record<string, RankingMetrics>>;

/** `evaluation.json` in the folder of a run. */
interface EvaluationFile {
  readonly format: 'fuzzqe-evaluation';
  readonly version: 1;
  /** SHA-256 of the tensors that were evaluated: `best` of `state.json`. */
  readonly checkpoint: string;
  /** In the order of their keys: data, split and the file of queries. */
  readonly evaluations: Readonly<Record<string, SavedEvaluation>>;
}

/** What is kept of an evaluation. */
export function createSavedEvaluation(
  evaluated: Pick<SavedEvaluation, 'data' | 'split' | 'mode' | 'fittedOnAnswers'>,
  queries: {
    readonly path: string;
    readonly sha256: string;
    readonly count: number;
    readonly set?: string;
  },
  { metrics, links }: Pick<ComparedModel, 'metrics' | 'links'>,
  baselines: readonly Pick<ComparedModel, 'name' | 'metrics' | 'links'>[],
  vocabulary: Pick<Vocabulary, 'relation'>,
): SavedEvaluation {
  const { path, ...named } = queries;
  const rules = baselines.find(({ name }) => name === 'rules')?.links;
  return {
    data: evaluated.data,
    split: evaluated.split,
    mode: evaluated.mode,
    queries: { file: basename(path), ...named },
    structures: metrics.structures,
    ...(metrics.own === undefined ? {} : { own: metrics.own }),
    averages: averagesOf(metrics),
    baselines: Object.fromEntries(baselines.map((each) => [each.name, averagesOf(each.metrics)])),
    ...(evaluated.fittedOnAnswers === true ? { fittedOnAnswers: true } : {}),
    ...(links === undefined ? {} : { links: savedLinks(links, rules, vocabulary) }),
  };
}

/**
 * Adds an evaluation of a checkpoint to those of the run's best one; those of an earlier one go. The file is written whole.
 *
 * Undefined where the run has another best checkpoint by now: nothing is kept then, since these would be told as its figures.
 */
export async function saveEvaluation(
  run: string,
  evaluation: SavedEvaluation,
  checkpoint: string,
): Promise<string | undefined> {
  // Two evaluations that end together are both kept.
  const lock = await takeLock({ folder: run, prefix: 'evaluation.', what: pathOf(run), patience: 60_000 });
  try {
    const { best } = await readRunState(run);
    return best?.sha256 === checkpoint ? await addEvaluation(run, evaluation, checkpoint) : undefined;
  } finally {
    await lock.release();
  }
}

async function addEvaluation(run: string, evaluation: SavedEvaluation, checkpoint: string): Promise<string> {
  const earlier = await read(run);
  const kept = earlier?.checkpoint === checkpoint ? earlier.evaluations : {};
  const all = Object.entries({ ...kept, [evaluationTitle(evaluation)]: evaluation });
  const file: EvaluationFile = {
    format: 'fuzzqe-evaluation',
    version: 1,
    checkpoint,
    evaluations: Object.fromEntries(all.sort(([a], [b]) => (a < b ? -1 : 1))),
  };
  const path = pathOf(run);
  await writeFileWhole(path, `${JSON.stringify(file, null, 2)}\n`);
  return path;
}

/** The evaluations of the run's best checkpoint, by titles; none where there are none of it. */
export async function readSavedEvaluations(run: string): Promise<Readonly<Record<string, SavedEvaluation>>> {
  const [file, { best }] = [await read(run), await readRunState(run)];
  return file !== undefined && file.checkpoint === best?.sha256 ? file.evaluations : {};
}

/** The same for a model card: without the figures by relation, of which there are many. */
export async function readCardMetrics(
  run: string,
): Promise<Readonly<Record<string, Omit<SavedEvaluation, 'links'>>>> {
  const all = Object.entries(await readSavedEvaluations(run));
  return Object.fromEntries(all.map(([title, { links: _, ...metrics }]) => [title, metrics]));
}

/**
 * An evaluation by what was asked, and for sets by which facts were recorded:
 * `countries, test, drawn, by sets with train and validation facts recorded: 3500 queries, sha256 0123456789abcdef…`.
 */
export function evaluationTitle({ data, split, mode, queries, fittedOnAnswers }: SavedEvaluation): string {
  const named = queries.set === undefined ? split : `${split}, ${queries.set}`;
  const recorded = split === 'test' ? 'train and validation facts' : 'train facts';
  const fitted = fittedOnAnswers === true ? ', weights fitted on the facts of its answers' : '';
  const by = mode === 'sets' ? `, by sets with ${recorded} recorded${fitted}` : '';
  return `${data}, ${named}${by}: ${queries.count} queries, sha256 ${queries.sha256.slice(0, 16)}…`;
}

/** The averages by their names; a small graph lacks structures, and the name says over how many the mean is then. */
function averagesOf(report: MetricsReport): Averages {
  const names = ['withoutNegation', 'withNegation'] as const;
  return Object.fromEntries(
    names.flatMap((name) => {
      const found = report[name];
      if (found === undefined) return [];
      const { structures, ...metrics } = found;
      const { title, structures: all } = averages[name];
      const of =
        structures.length === all.length ? '' : ` (${structures.length} of ${all.length} structures)`;
      return [[`${title}${of}`, metrics]];
    }),
  );
}

const pathOf = (run: string): string => join(run, 'evaluation.json');

const share = schema.number({ min: 0, max: 1 });
const count = schema.integer({ min: 0 });
const metrics = { mrr: share, hits1: share, hits3: share, hits10: share };
const averagesSchema = schema.record(schema.object(metrics));
const ofStructure = schema.object({ queries: count, answers: count, ...metrics });
const fileSchema: schema.Schema<EvaluationFile> = schema.object({
  format: schema.oneOf(['fuzzqe-evaluation']),
  version: schema.oneOf([1]),
  checkpoint: schema.string,
  evaluations: schema.record(
    schema.object({
      data: schema.string,
      split: schema.oneOf(['valid', 'test']),
      // Files from before there were two modes do not name it.
      mode: schema.withDefault(schema.oneOf(answerModes), 'embedding'),
      queries: schema.object({
        file: schema.string,
        sha256: schema.string,
        count,
        set: schema.optional(schema.string),
      }),
      structures: schema.object(schema.fieldsOf(structureNames, schema.optional(ofStructure))),
      own: schema.optional(schema.record(ofStructure)),
      averages: averagesSchema,
      baselines: schema.record(averagesSchema),
      fittedOnAnswers: schema.optional(schema.boolean),
      links: schema.optional(savedLinksSchema),
    }),
  ),
});

async function read(run: string): Promise<EvaluationFile | undefined> {
  const path = pathOf(run);
  if (!(await pathExists(path))) return undefined;
  const text = (await readWholeFile(path, 'checkpoint')).toString('utf8');
  const file = schema.recogniseJson(fileSchema, text);
  if (file !== undefined) return file;
  throw new FuzzError('checkpoint', 'not a file of evaluations', {
    path,
    hint: 'remove it and evaluate the run again: fuzzqe evaluate',
  });
}
