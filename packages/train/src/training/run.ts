import { join } from 'node:path';
import { FuzzError, graphDigest, type ModelConfig, type Parameters, parameterShapes } from '@fuzzqe/core';
import {
  loadTensors,
  parametersOf,
  type RunState,
  readRunState,
  saveTensors,
  writeRunState,
} from '../checkpoint/checkpoint.ts';
import type { NamedTensors } from '../checkpoint/safetensors.ts';
import type { TrainingConfig } from '../config.ts';
import type { Dataset } from '../datasets/dataset.ts';
import { evaluateRanking } from '../evaluation/evaluate-ranking.ts';
import type { TrainingRuntime } from '../runtimes/training-runtime.ts';
import type { QuerySets } from '../sampling/query-sets.ts';
import { createScorer } from './scorer.ts';
import { stateFromTensors, stateTensors, type TrainingResult, type TrainingRun, train } from './trainer.ts';

/** A training run that lives in a folder. */
export interface RunOptions {
  /** Where `state.json` and the checkpoints go. */
  readonly directory: string;
  readonly dataset: Dataset;
  readonly config: TrainingConfig;
  readonly queries: Pick<QuerySets, 'train' | 'valid'>;
  readonly runtime: TrainingRuntime;
  /** Threads for validation. */
  readonly threads: number;
  /** Goes on from the folder's last checkpoint, whose graph and configuration must be the same. */
  readonly resume: boolean;
  readonly onStep?: NonNullable<TrainingRun['onStep']>;
  readonly onValidation?: (at: {
    readonly step: number;
    readonly mrr: number;
    readonly improved: boolean;
  }) => void;
  readonly signal?: AbortSignal;
}

/** How a run in a folder ended. */
export interface RunResult {
  readonly state: RunState;
  readonly ended: TrainingResult['ended'];
  readonly step: number;
  /** Seconds that the engine stood still because no batch was ready. */
  readonly waited: number;
}

/**
 * Trains in a folder: a checkpoint after every validation and when the run is stopped, the best parameters beside it.
 *
 * Throws: 'usage' where the folder holds a run and `resume` is false; 'checkpoint' where it is to be resumed and
 * belongs to another graph or configuration; and what `train` throws.
 */
export async function runTraining(options: RunOptions): Promise<RunResult> {
  const { directory, dataset, config, queries } = options;
  const graph = dataset.graphs().train;
  const model: ModelConfig = { ...config.model, entities: graph.entityCount, relations: graph.relationCount };
  const digest = await graphDigest(graph);
  const earlier = await earlierRun(options, digest);
  let state: RunState = earlier ?? {
    format: 'fuzzqe-run',
    version: 1,
    model,
    config: config as unknown as Readonly<Record<string, unknown>>,
    data: { name: dataset.name, licence: dataset.licence, sha256: digest },
    device: options.runtime.device,
    status: 'running',
  };
  const save = async (changes: Partial<RunState>): Promise<void> => {
    state = { ...state, device: options.runtime.device, ...changes };
    await writeRunState(directory, state);
  };
  const scorer = await createScorer(model, options.threads);
  try {
    const result = await train({
      model,
      config,
      graph,
      queries: queries.train,
      runtime: options.runtime,
      async validate(parameters) {
        await scorer.load(parameters);
        const report = await evaluateRanking({
          queries: queries.valid,
          score: scorer.score,
          entityCount: model.entities,
        });
        const each = Object.values(report.structures).map(({ mrr }) => mrr);
        return each.reduce((sum, mrr) => sum + mrr, 0) / each.length;
      },
      async onValidation({ step, state: reached, mrr, improved }) {
        const tensors = stateTensors(model, reached);
        const best = improved
          ? await saveTensors(directory, 'best', step, learnedOnly(model, tensors), mrr)
          : state.best;
        await save({
          status: 'running',
          last: await saveTensors(directory, 'last', step, tensors, mrr),
          best,
        });
        options.onValidation?.({ step, mrr, improved });
      },
      ...(options.onStep === undefined ? {} : { onStep: options.onStep }),
      ...(options.signal === undefined ? {} : { signal: options.signal }),
      ...(earlier?.last === undefined ? {} : { resume: await position(directory, model, earlier) }),
    });
    // Stopped between two validations: the step that was reached is kept, too.
    const last =
      state.last?.step === result.step
        ? state.last
        : await saveTensors(directory, 'last', result.step, stateTensors(model, result.state));
    await save({ status: result.ended === 'interrupted' ? 'stopped' : 'finished', last });
    return { state, ended: result.ended, step: result.step, waited: result.waited };
  } finally {
    await scorer.close();
  }
}

/** The best parameters of a run. Throws: 'checkpoint' where there are none yet or they are damaged. */
export async function loadBest(directory: string): Promise<{ state: RunState; parameters: Parameters }> {
  const state = await readRunState(directory);
  if (state.best === undefined)
    throw new FuzzError('checkpoint', 'the run has not reached its first validation', {
      path: join(directory, 'state.json'),
      hint: 'let it train for longer: fuzzqe train --resume',
    });
  const tensors = await loadTensors(directory, state.best);
  return { state, parameters: parametersOf(state.model, tensors, join(directory, state.best.file)) };
}

async function earlierRun(options: RunOptions, digest: string): Promise<RunState | undefined> {
  let earlier: RunState;
  const path = join(options.directory, 'state.json');
  try {
    earlier = await readRunState(options.directory);
  } catch (error) {
    const missing =
      error instanceof FuzzError && (error.cause as NodeJS.ErrnoException | undefined)?.code === 'ENOENT';
    if (missing && !options.resume) return undefined;
    throw error;
  }
  if (!options.resume)
    throw new FuzzError('usage', 'there is a training run here already', {
      path,
      hint: 'go on with it (--resume) or choose another folder',
    });
  if (earlier.data.sha256 !== digest)
    throw new FuzzError(
      'checkpoint',
      `trained on another graph (${earlier.data.name}, ${earlier.data.sha256.slice(0, 12)}…)`,
      {
        path,
        hint: `the graph given now is ${options.dataset.name}, ${digest.slice(0, 12)}…`,
      },
    );
  const differing = differences(earlier.config, options.config, '$');
  if (differing.length > 0)
    throw new FuzzError('checkpoint', `trained with another configuration: ${differing.join(', ')}`, {
      path,
      hint: 'resume with the configuration in state.json, or start a new run in another folder',
    });
  return earlier;
}

/** The paths at which two configurations differ. */
function differences(a: unknown, b: unknown, path: string): string[] {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null)
    return a === b ? [] : [`${path} was ${JSON.stringify(a)}, is ${JSON.stringify(b)}`];
  const [left, right] = [a as Record<string, unknown>, b as Record<string, unknown>];
  const keys = new Set([...Object.keys(left), ...Object.keys(right)]);
  return [...keys].flatMap((key) => differences(left[key], right[key], `${path}.${key}`));
}

async function position(
  directory: string,
  model: ModelConfig,
  { last, best }: RunState,
): Promise<NonNullable<TrainingRun['resume']>> {
  const tensors = await loadTensors(directory, last!);
  const reached = { step: last!.step, state: stateFromTensors(model, tensors, join(directory, last!.file)) };
  if (best === undefined) return reached;
  const parameters = parametersOf(model, await loadTensors(directory, best), join(directory, best.file));
  return { ...reached, best: { step: best.step, mrr: best.mrr ?? 0, parameters } };
}

function learnedOnly(model: ModelConfig, tensors: NamedTensors): NamedTensors {
  return Object.fromEntries(Object.keys(parameterShapes(model)).map((name) => [name, tensors[name]!]));
}
