import { readFileSync } from 'node:fs';
import { code, generatedPage, plain, table } from './markdown.ts';

interface Schema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}

function boundsOf(schema: Schema): string {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
  return [
    minimum === undefined ? '' : `≥ ${minimum}`,
    exclusiveMinimum === undefined ? '' : `> ${exclusiveMinimum}`,
    maximum === undefined ? '' : `≤ ${maximum}`,
    exclusiveMaximum === undefined ? '' : `< ${exclusiveMaximum}`,
  ]
    .filter((text) => text !== '')
    .join(', ');
}

/** What a value may be, in a cell. */
function kindOf(schema: Schema): string {
  if (schema.enum !== undefined) return schema.enum.map(code).join(', ');
  if (schema.const !== undefined) return code(schema.const);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return choices.map(kindOf).join(' or ');
  if (schema.properties !== undefined && schema.type === 'object')
    return `object of ${Object.keys(schema.properties).map(code).join(', ')}`;
  return [[schema.type ?? 'any'].flat().join(' or '), boundsOf(schema)]
    .filter((text) => text !== '')
    .join(' ');
}

/** A row for each key that has a value, with the keys of objects behind a dot. */
function rowsOf(properties: Readonly<Record<string, Schema>>, prefix = ''): readonly (readonly string[])[] {
  return Object.entries(properties).flatMap(([key, schema]) => {
    const path = `${prefix}${key}`;
    const fallback = schema.default === undefined ? '' : code(schema.default);
    const row = [code(path), kindOf(schema), fallback, plain(schema.description ?? '')];
    const values = schema.additionalProperties;
    const inner = [
      ...rowsOf(schema.properties ?? {}, `${path}.`),
      ...(typeof values === 'object' ? rowsOf({ NAME: values }, `${path}.`) : []),
    ];
    return [row, ...inner];
  });
}

/** Every key of a training configuration. */
export function trainingConfigurationPage(): string {
  const file = new URL('../../../packages/train/src/presets/training.schema.json', import.meta.url);
  const schema = JSON.parse(readFileSync(file, 'utf8')) as Schema;
  const sections = Object.entries(schema.properties ?? {}).filter(([key]) => key !== '$schema');
  return generatedPage(
    'Training configuration',
    'training.schema.json',
    `${plain(schema.description ?? '')}

[training.schema.json](../../packages/train/src/presets/training.schema.json) is the JSON Schema of the file.

${table(['Key', 'Value', 'Default', 'Meaning'], rowsOf(Object.fromEntries(sections)))}`,
  );
}
