import { didYouMean, FuzzError, schema } from '@fuzzqe/core';
import type { QuerySetSizes } from '@fuzzqe/data';
import { pathExists, readWholeFile } from '@fuzzqe/files';
import { parseTrainingConfig, type TrainingConfig } from '../config.ts';
import countries from './countries.json' with { type: 'json' };
import countriesLinks from './countries-links.json' with { type: 'json' };
import fb15k from './fb15k-237.json' with { type: 'json' };
import fb15kLinks from './fb15k-237-links.json' with { type: 'json' };
import fb15kPaper from './fb15k-237-paper.json' with { type: 'json' };
import links from './links.json' with { type: 'json' };
import nell from './nell995.json' with { type: 'json' };
import nellLinks from './nell995-links.json' with { type: 'json' };
import nellPaper from './nell995-paper.json' with { type: 'json' };
import trainingJsonSchema from './training.schema.json' with { type: 'json' };
import wordnet from './wn18rr-qa.json' with { type: 'json' };
import wordnetLinks from './wn18rr-qa-links.json' with { type: 'json' };

/** The names of the presets: ours by the graph, `links` for any, and those with the paper's hyper-parameters. */
export const presetNames = [
  'countries',
  'countries-links',
  'fb15k-237',
  'fb15k-237-links',
  'fb15k-237-paper',
  'links',
  'nell995',
  'nell995-links',
  'nell995-paper',
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

const defaults = countries.training as TrainingConfig;

/** A preset whose file says only what differs from `countries`. */
function changed(
  file: { readonly name: string; readonly training: unknown } & Omit<Preset, 'training'>,
): Preset {
  return { ...file, training: parseTrainingConfig(file.training, defaults, file.name) };
}

/** The configurations that come with this package, by name. */
export const presets: Readonly<Record<PresetName, Preset>> = {
  countries: { ...countries, training: defaults },
  'countries-links': changed(countriesLinks),
  'fb15k-237': changed(fb15k),
  'fb15k-237-links': changed(fb15kLinks),
  'fb15k-237-paper': changed(fb15kPaper),
  links: changed(links),
  nell995: changed(nell),
  'nell995-links': changed(nellLinks),
  'nell995-paper': changed(nellPaper),
  'wn18rr-qa': changed(wordnet),
  'wn18rr-qa-links': changed(wordnetLinks),
};

/**
 * A training configuration by preset name or from a JSON file, which may leave out what it takes from `countries`.
 *
 * Throws: 'config' where the file cannot be read, is not JSON, has an unknown key or a value out of range; 'usage' for a name that is
 * neither a preset nor a file.
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
  // A preset file has its training configuration under `training`; a plain file is the configuration itself.
  const training = (value as { training?: unknown } | null)?.training;
  return parseTrainingConfig(training ?? withoutSchema(value), defaults, nameOrFile);
}

/** A file may say where its JSON schema lies, for editors. */
function withoutSchema(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const { $schema: _, ...config } = value as Record<string, unknown>;
  return config;
}

/** The JSON schema (draft 2020-12) of what `fuzzqe train --config` reads; editors take it as `$schema`. */
export const trainingSchema: Readonly<Record<string, unknown>> = trainingJsonSchema;
