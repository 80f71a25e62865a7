import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { FuzzError, schema } from '@fuzzqe/core';
import { makeFolder, pathExists, temporaryName, writeFileWhole } from '@fuzzqe/files';
import {
  type ModelConfig,
  type ParameterName,
  type Parameters,
  parameterNamesOf,
  parameterShapes,
  runModelSchema,
} from '@fuzzqe/model';
import { type Environment, environmentSchema } from '../reporting/environment.ts';
import type { LogWindow } from '../reporting/run-recorder.ts';
import { type Ending, endings, type RunStretch } from './endings.ts';
import { expectFinite, type NamedTensors, readSafetensors, writeSafetensors } from './safetensors.ts';

/** A file of tensors that `state.json` points to. */
export interface SavedTensors {
  readonly file: string;
  readonly sha256: string;
  /** Steps that had been trained. */
  readonly step: number;
  /** Validation MRR at that step, where it was measured. */
  readonly mrr?: number;
}

/** A stretch of training without an interruption. */
export interface RunSession {
  /** The step that it went on from. */
  readonly step: number;
  /** ISO 8601, in UTC. */
  readonly started: string;
  readonly environment: Environment;
}

/** The run that another one on a changed graph goes on from. */
export interface RunOrigin {
  /** SHA-256 of its best parameters. */
  readonly checkpoint: string;
  /** Steps that its optimiser had made, those of runs before it included. */
  readonly steps: number;
}

/** `state.json`: what a run has reached. The files it names are complete before it is replaced. */
export interface RunState {
  readonly format: 'fuzzqe-run';
  readonly version: 1;
  readonly model: ModelConfig;
  /** The training configuration as given. */
  readonly config: Readonly<Record<string, unknown>>;
  readonly data: { readonly name: string; readonly licence: string; readonly sha256: string };
  readonly device: string;
  readonly status: 'running' | 'stopped' | 'finished';
  /** When training began and where it went on from, in order. */
  readonly sessions?: readonly RunSession[] | undefined;
  /** Losses of the steps before `last` that the log has no entry for yet. */
  readonly window?: LogWindow | undefined;
  /** Why a finished run ended. */
  readonly ended?: Ending | undefined;
  /** The last stretch of a run with an open end, as far as it was known at `last`. */
  readonly stretch?: RunStretch | undefined;
  /** The step that a finished run went on from: patience counts from there. */
  readonly reopened?: number | undefined;
  /** Of a run on all facts, the SHA-256 of the best parameters whose number of steps it takes. */
  readonly refitOf?: string | undefined;
  /** Of a run that went on from another one, which it is. */
  readonly origin?: RunOrigin | undefined;
  /** What training goes on from: the learned tensors and the optimiser's. */
  readonly last?: SavedTensors | undefined;
  /** What is exported: the learned tensors with the best validation MRR. */
  readonly best?: SavedTensors | undefined;
}

const saved = schema.object({
  file: schema.string,
  sha256: schema.string,
  step: schema.integer({ min: 0 }),
  mrr: schema.optional(schema.number({ min: 0, max: 1 })),
});
const stateSchema: schema.Schema<RunState> = schema.object({
  format: schema.oneOf(['fuzzqe-run']),
  version: schema.oneOf([1]),
  model: runModelSchema,
  config: schema.record(schema.anything),
  data: schema.object({ name: schema.string, licence: schema.string, sha256: schema.string }),
  device: schema.string,
  status: schema.oneOf(['running', 'stopped', 'finished']),
  sessions: schema.optional(
    schema.array(
      schema.object({
        step: schema.integer({ min: 0 }),
        started: schema.string,
        environment: environmentSchema,
      }),
    ),
  ),
  window: schema.optional(schema.object({ steps: schema.integer({ min: 0 }), loss: schema.number() })),
  ended: schema.optional(schema.oneOf(endings)),
  stretch: schema.optional(
    schema.object({
      from: schema.integer({ min: 0 }),
      until: schema.integer({ min: 1 }),
      why: schema.oneOf(endings),
    }),
  ),
  reopened: schema.optional(schema.integer({ min: 0 })),
  refitOf: schema.optional(schema.string),
  origin: schema.optional(schema.object({ checkpoint: schema.string, steps: schema.integer({ min: 0 }) })),
  last: schema.optional(saved),
  best: schema.optional(saved),
});

/** Writes tensors of a run under a name that says the step, and gives what `state.json` says of them. */
export async function saveTensors(
  directory: string,
  kind: 'last' | 'best',
  step: number,
  tensors: NamedTensors,
  mrr?: number,
): Promise<SavedTensors> {
  const file = `${kind}-${String(step).padStart(7, '0')}.safetensors`;
  const path = join(directory, file);
  expectFinite(tensors, path);
  await makeFolder(directory);
  const metadata = { format: 'fuzzqe', step: String(step) };
  const { sha256 } = await writeSafetensors(path, { tensors, metadata });
  return { file, sha256, step, ...(mrr === undefined ? {} : { mrr }) };
}

/**
 * Replaces `state.json`, then removes tensor files that it no longer names and what a killed process left half written.
 *
 * Only for who holds the lock of the folder: another process may be writing a file of these names.
 */
export async function writeRunState(directory: string, state: RunState): Promise<void> {
  await makeFolder(directory);
  await writeFileWhole(join(directory, 'state.json'), `${JSON.stringify(state, null, 2)}\n`);
  const kept = [state.last?.file, state.best?.file];
  for (const file of await readdir(directory))
    if (!kept.includes(file) && isLeftOver(file)) await rm(join(directory, file), { force: true });
}

/** Whether a file of a run's folder is one of those that training alone writes, and of no use unless `state.json` names it. */
function isLeftOver(file: string): boolean {
  const name = file.replace(temporaryName, '');
  const isTensors = /^(last|best)-\d+\.safetensors$/.test(name);
  return isTensors || (name !== file && (name === 'state.json' || name === 'log.jsonl'));
}

/**
 * Reads `state.json` of a run.
 *
 * @throws FuzzError `checkpoint`: there is none or it is not one.
 * @example
 * const { status, model } = await readRunState('runs/mine');
 */
export async function readRunState(directory: string): Promise<RunState> {
  const path = join(directory, 'state.json');
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (cause) {
    throw new FuzzError('checkpoint', 'no training run here', {
      path,
      hint: await whereRunsAre(directory),
      cause,
    });
  }
  return schema.parseJson(stateSchema, text, {
    code: 'checkpoint',
    what: 'run state',
    path,
    hint: 'the file is damaged',
  });
}

/** How to name a run where a folder is none: those of several seeds lie in folders of their own. */
async function whereRunsAre(directory: string): Promise<string> {
  const entries = await readdir(directory).catch((): string[] => []);
  for (const entry of entries.sort())
    if (await pathExists(join(directory, entry, 'state.json')))
      return `It has runs: name one, as ${join(directory, entry)}.`;
  return 'train one first: fuzzqe train --help';
}

/**
 * Reads the tensors that a run state points to.
 *
 * @throws FuzzError `checkpoint`: they are missing, altered, of another step than the state says, or not finite.
 */
export async function loadTensors(directory: string, entry: SavedTensors): Promise<NamedTensors> {
  const path = join(directory, entry.file);
  if (!(await pathExists(path)))
    throw new FuzzError('checkpoint', 'the tensors that state.json names are missing', {
      path,
      hint: 'The folder is incomplete: copy it again, or train anew in another.',
    });
  const { tensors, metadata, sha256 } = await readSafetensors(path);
  if (sha256 !== entry.sha256)
    throw new FuzzError('checkpoint', `sha256 is ${sha256}, expected ${entry.sha256}`, {
      path,
      hint: 'the file was altered or cut off after it was written',
    });
  if (metadata['step'] !== String(entry.step))
    throw new FuzzError(
      'checkpoint',
      `state.json says step ${entry.step}, the tensors are of step ${metadata['step'] ?? 'unknown'}`,
      { path, hint: 'state.json was altered: steps would be trained twice or left out.' },
    );
  expectFinite(tensors, path);
  return tensors;
}

/**
 * The model's parameters among a run's tensors.
 *
 * @throws FuzzError `checkpoint`: one is missing or has another shape.
 */
export function parametersOf(model: ModelConfig, tensors: NamedTensors, path: string): Parameters {
  const shapes = parameterShapes(model);
  const pick = (name: ParameterName): Float32Array => {
    const tensor = tensors[name];
    if (tensor === undefined || tensor.shape.join() !== shapes[name]?.join())
      throw new FuzzError(
        'checkpoint',
        `tensor "${name}": expected [${shapes[name]}], got ${tensor === undefined ? 'none' : `[${tensor.shape}]`}`,
        {
          path,
          hint: 'the checkpoint belongs to another graph or another configuration',
        },
      );
    return tensor.data;
  };
  // fromEntries forgets the names, which are those of the model.
  return Object.fromEntries(parameterNamesOf(model).map((name) => [name, pick(name)])) as Parameters;
}

/** Parameters with their shapes, as a checkpoint holds them. */
export function parameterTensors(model: ModelConfig, parameters: Parameters): NamedTensors {
  const shapes = parameterShapes(model);
  return Object.fromEntries(
    parameterNamesOf(model).map((name) => [name, { shape: shapes[name]!, data: parameters[name]! }]),
  );
}
