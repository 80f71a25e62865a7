import { readFile } from 'node:fs/promises';
import { findDuplicateKey, isOrigin, originForm } from '@fuzzqe/api';
import { didYouMean, FuzzError, finish, schema } from '@fuzzqe/core';
import { hostForm, hostNameOf } from '../access/caller-check.ts';
import { collectorForm, isCollectorAddress } from '../telemetry/collector-address.ts';
import type { Setting } from './setting.ts';
import {
  flagOf,
  type SettingName,
  type Settings,
  settingNames,
  settingOf,
  variableOf,
  variablePrefix,
} from './settings-table.ts';

/** Where settings come from, strongest first: flags, variables, the file. */
export interface SettingSources {
  /** As text, as a command line has them; `config` is the file. */
  readonly flags: Readonly<Partial<Record<SettingName | 'config', string>>>;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/**
 * The settings of a server: of flags, else of environment variables, else of the file, else their own.
 *
 * @throws FuzzError `usage`: a flag. `config`: a variable, the file, or a key of it; each with its name.
 */
export async function readSettings({ flags, environment }: SettingSources): Promise<Settings> {
  refuseUnknownVariables(environment);
  const file = flags.config ?? environment[variableOf('config')];
  const stored = file === undefined ? {} : await readSettingsFile(file);
  const values = settingNames.map((name) => {
    const flag = flags[name];
    const variable = environment[variableOf(name)];
    if (flag !== undefined) return [name, parseText(name, flag, 'usage', flagOf(name))];
    if (variable !== undefined) return [name, parseText(name, variable, 'config', variableOf(name))];
    return [name, stored[name] ?? settingOf(name).fallback];
  });
  // Each value was read by the schema of its setting, or is its own.
  return Object.fromEntries(values) as Settings;
}

function schemaOf(setting: Setting): schema.Schema<unknown> {
  switch (setting.kind) {
    case 'integer':
      return schema.integer(setting);
    case 'number':
      return schema.number(setting);
    case 'choice':
      return schema.oneOf(setting.choices);
    case 'list':
      return schema.array(setting.form === 'origin' ? origin : setting.form === 'host' ? host : notEmpty);
    default:
      return setting.form === 'collector' ? collector : notEmpty;
  }
}

const origin = schema.checked(schema.string, (text, report) => {
  if (!isOrigin(text)) report([], originForm, JSON.stringify(text));
});

const host = schema.checked(schema.string, (text, report) => {
  if (text !== '*' && hostNameOf(text) === undefined) report([], hostForm, JSON.stringify(text));
});

// Nothing stands for none: a server whose variable for keys is empty was meant to have some.
const notEmpty = schema.checked(schema.string, (text, report) => {
  if (text === '') report([], 'a text that is not empty', '""');
});

const collector = schema.checked(schema.string, (text, report) => {
  if (!isCollectorAddress(text)) report([], collectorForm, JSON.stringify(text));
});

/** The schema of a file of settings; editors find theirs under `$schema`. */
const fileSchema: schema.Schema<Readonly<Record<string, unknown>>> = schema.object({
  $schema: schema.optional(schema.string),
  ...Object.fromEntries(settingNames.map((name) => [name, schema.optional(schemaOf(settingOf(name)))])),
});

async function readSettingsFile(file: string): Promise<Readonly<Record<string, unknown>>> {
  const options = { code: 'config', what: 'settings of a server', path: file } as const;
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw new FuzzError('config', 'expected a file of settings that can be read', {
      path: file,
      hint: `Check ${flagOf('config')} and ${variableOf('config')}.`,
      cause,
    });
  });
  const stored = schema.parseJson(fileSchema, text, { ...options, hint: 'A file of settings is JSON.' });
  // A setting that is corrected further up would stay as it was.
  const twice = finish(findDuplicateKey(text));
  if (typeof twice !== 'object') return stored;
  throw new FuzzError(
    'config',
    `settings of a server: expected each key once, got ${twice.path}.${twice.key} twice`,
    {
      path: file,
      hint: 'Remove one of the two.',
    },
  );
}

function parseText(name: SettingName, text: string, code: 'usage' | 'config', path: string): unknown {
  const setting = settingOf(name);
  const value = meaningOf(setting, text);
  const [issue] = schema.issuesOf(schemaOf(setting), value);
  if (issue === undefined) return value;
  const linked = variableOf('port') === path && /^(?:tcp|udp):/.test(text);
  throw new FuzzError(code, issue.message, {
    path,
    hint: linked
      ? 'Kubernetes sets this for a service of that name: set enableServiceLinks: false.'
      : `It takes ${setting.value}: ${setting.help}.`,
  });
}

/** What text stands for; as it is where it stands for no number. */
function meaningOf({ kind }: Setting, text: string): unknown {
  if (kind === 'list') return text.split(',').map((part) => part.trim());
  const isNumber = kind === 'integer' || kind === 'number';
  return isNumber && /^-?\d+(?:\.\d+)?$/.test(text) ? Number(text) : text;
}

function refuseUnknownVariables(environment: SettingSources['environment']): void {
  const known = [...settingNames, 'config'].map(variableOf);
  for (const name of Object.keys(environment)) {
    if (!name.startsWith(variablePrefix) || known.includes(name)) continue;
    // What Kubernetes sets for a service of the name fuzzqe-serve.
    if (/_(?:SERVICE_(?:HOST|PORT)|PORT_\d+_)/.test(name)) continue;
    throw new FuzzError('config', 'no such setting', {
      path: name,
      hint: didYouMean(name, known, 'fuzzqe serve --help lists the variables.'),
    });
  }
}
