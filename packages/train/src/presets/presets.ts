import { didYouMean, FuzzError, schema } from '@fuzzqe/core';
import type { QuerySetSizes } from '@fuzzqe/data';
import { pathExists, readWholeFile } from '@fuzzqe/files';
import { parseTrainingConfig, type TrainingConfig } from '../config.ts';
import bases from './bases.json' with { type: 'json' };
import betae from './betae.json' with { type: 'json' };
import codex from './codex-s.json' with { type: 'json' };
import complex from './complex.json' with { type: 'json' };
import countries from './countries.json' with { type: 'json' };
import countriesLinks from './countries-links.json' with { type: 'json' };
import fb15k from './fb15k-237.json' with { type: 'json' };
import fb15kGpu from './fb15k-237-gpu.json' with { type: 'json' };
import fb15kLinks from './fb15k-237-links.json' with { type: 'json' };
import fb15kPaper from './fb15k-237-paper.json' with { type: 'json' };
import gqe from './gqe.json' with { type: 'json' };
import links from './links.json' with { type: 'json' };
import nell from './nell995.json' with { type: 'json' };
import nellLinks from './nell995-links.json' with { type: 'json' };
import nellPaper from './nell995-paper.json' with { type: 'json' };
import query2box from './query2box.json' with { type: 'json' };
import trainingJsonSchema from './training.schema.json' with { type: 'json' };
import wordnet from './wn18rr-qa.json' with { type: 'json' };
import wordnetLinks from './wn18rr-qa-links.json' with { type: 'json' };

/** The names of the presets: ours by the graph, `links` for any, those of other families, and those with the paper's hyper-parameters. */
export const presetNames = [
  'bases',
  'betae',
  'codex-s',
  'complex',
  'countries',
  'countries-links',
  'fb15k-237',
  'fb15k-237-gpu',
  'fb15k-237-links',
  'fb15k-237-paper',
  'gqe',
  'links',
  'nell995',
  'nell995-links',
  'nell995-paper',
  'query2box',
  'wn18rr-qa',
  'wn18rr-qa-links',
] as const;
export type PresetName = (typeof presetNames)[number];

/** A training configuration with the queries it was made for and the result it is expected to reach. */
export interface Preset {
  readonly name: string;
  readonly description: string;
  readonly training: TrainingConfig;
  readonly queries: QuerySetSizes & { readonly seed: number };
}

/** A preset as its file has it: what it says of training is read over the preset that it extends, `countries` where it names none. */
interface PresetFile extends Omit<Preset, 'training'> {
  readonly extends?: string;
  readonly training: unknown;
}

const files: Readonly<Record<PresetName, PresetFile>> = {
  bases,
  betae,
  'codex-s': codex,
  complex,
  countries,
  'countries-links': countriesLinks,
  'fb15k-237': fb15k,
  'fb15k-237-gpu': fb15kGpu,
  'fb15k-237-links': fb15kLinks,
  'fb15k-237-paper': fb15kPaper,
  gqe,
  links,
  nell995: nell,
  'nell995-links': nellLinks,
  'nell995-paper': nellPaper,
  query2box,
  'wn18rr-qa': wordnet,
  'wn18rr-qa-links': wordnetLinks,
};

/** The one that says everything, from which all others differ. */
const complete = 'countries' satisfies PresetName;

/**
 * What a file says of training, over the preset that it extends.
 *
 * @throws FuzzError `config`, also where that is no preset.
 */
function trainingOver(base: unknown, training: unknown, path: string): TrainingConfig {
  const name = base === undefined ? complete : presetNames.find((each) => each === base);
  if (name === undefined)
    throw new FuzzError('config', `extends: expected the name of a preset, got ${JSON.stringify(base)}`, {
      path,
      hint: didYouMean(`${base}`, presetNames, `presets: ${presetNames.join(', ')}`),
    });
  return parseTrainingConfig(training, trainingOf(name), path);
}

function trainingOf(name: PresetName): TrainingConfig {
  const { extends: base, training } = files[name];
  return name === complete ? countriesTraining : trainingOver(base, training, name);
}

const countriesTraining = countries.training as TrainingConfig;

/** The configurations that come with this package, by name. */
export const presets: Readonly<Record<PresetName, Preset>> = Object.fromEntries(
  presetNames.map((name) => {
    const { extends: _, ...file } = files[name];
    return [name, { ...file, training: trainingOf(name) }];
  }),
) as Record<PresetName, Preset>; // fromEntries forgets the names, which are all there

/**
 * A training configuration by preset name or from a JSON file, which may leave out what it takes from the preset that it extends.
 *
 * @throws FuzzError `config`: the file cannot be read, is not JSON, has an unknown key or a value out of range;
 *   `usage`: a name that is neither a preset nor a file.
 * @example
 * const config = { ...(await loadTrainingConfig('countries')), steps: 2000 };
 */
export async function loadTrainingConfig(nameOrFile: string): Promise<TrainingConfig> {
  const preset = presetNames.find((name) => name === nameOrFile);
  if (preset !== undefined) return presets[preset].training;
  if (!(await pathExists(nameOrFile)))
    throw new FuzzError('usage', `no configuration file and no preset of this name`, {
      path: nameOrFile,
      hint: didYouMean(nameOrFile, presetNames, `presets: ${presetNames.join(', ')}`),
    });
  const text = (await readWholeFile(nameOrFile, 'config')).toString('utf8');
  const value = schema.parseJson(schema.anything, text, {
    code: 'config',
    what: 'configuration',
    path: nameOrFile,
  });
  const { extends: base, training = withoutMarks(value) } = (value ?? {}) as {
    readonly extends?: unknown;
    readonly training?: unknown; // a preset's file has its configuration there, a plain file is the configuration itself
  };
  return trainingOver(base, training, nameOrFile);
}

/** A file may say where its JSON schema lies, for editors, and what it extends. */
function withoutMarks(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const { $schema: _, extends: __, ...config } = value as Record<string, unknown>;
  return config;
}

/** The JSON schema (draft 2020-12) of what `fuzzqe train --config` reads; editors take it as `$schema`. */
export const trainingSchema: Readonly<Record<string, unknown>> = trainingJsonSchema;
