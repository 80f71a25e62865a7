import { FuzzError } from '@fuzzqe/core';
import { structureNames } from '@fuzzqe/core/query';
import { toJsonSchema } from '@valibot/to-json-schema';
import { describe, expect, it } from 'vitest';
import { parseTrainingConfig, trainingConfigSchema } from '../config.ts';
import { linkDrawNames } from '../links/link-draw.ts';
import { regulariserNames } from '../regulariser/regularisers.ts';
import { presetNames, presets, trainingSchema } from './presets.ts';

/** The part of JSON Schema that the file uses. */
interface Node {
  readonly type?: 'object' | 'integer' | 'number' | 'string';
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly default?: unknown;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Node>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: false;
}

/**
 * A schema as the file has it: with the value of `countries` as the default, which is why no key is required, and with the
 * description that stands in the file.
 */
function described(schema: Node, value: unknown, inFile: Node | undefined): Node {
  const { type, minimum, maximum, properties, required, additionalProperties, default: _, ...rest } = schema;
  const of = (key: string): unknown => (value as Readonly<Record<string, unknown>> | undefined)?.[key];
  const keys = Object.keys(properties ?? {});
  // A list of what takes part has a default as a whole, and its members are complete in themselves.
  const isWhole = value !== undefined && (keys.length === 0 || keys.some((key) => of(key) === undefined));
  const inner = keys.map((key): [string, Node] => [
    key,
    described(properties![key]!, isWhole ? undefined : of(key), inFile?.properties?.[key]),
  ]);
  return {
    ...(rest.enum === undefined ? { type } : {}),
    ...rest,
    ...(minimum === undefined || minimum === Number.MIN_SAFE_INTEGER ? {} : { minimum }),
    ...(maximum === undefined || maximum === Number.MAX_SAFE_INTEGER ? {} : { maximum }),
    ...(additionalProperties === undefined ? {} : { additionalProperties }),
    ...(isWhole ? { default: value } : {}),
    ...(inFile?.description === undefined ? {} : { description: inFile.description }),
    ...(value === undefined && required?.length ? { required } : {}),
    ...(properties === undefined ? {} : { properties: Object.fromEntries(inner) }),
  };
}

/** What the file should hold, by the schema of the reader. */
function written(): string {
  const { $schema, title, description, properties } = trainingSchema as Record<string, unknown> & Node;
  const converted: unknown = toJsonSchema(trainingConfigSchema, {
    target: 'draft-2020-12',
    ignoreActions: ['finite', 'raw_check'],
  });
  const { $schema: _, ...schema } = converted as Record<string, unknown> & Node;
  const { properties: keys, ...rest } = described(schema, defaults, trainingSchema as Node);
  const file = {
    $schema,
    title,
    description,
    ...rest,
    properties: {
      $schema: properties!['$schema'],
      extends: { ...properties!['extends'], enum: presetNames },
      ...keys,
    },
  };
  // Lists that fit on a line stand on one, as the formatter has them.
  const onOneLine = (text: string, list: string): string => {
    const line = `[${list.replaceAll(/\s+/g, ' ')}]`;
    return line.length > 90 ? text : line;
  };
  return `${JSON.stringify(file, null, 2).replaceAll(/\[\s+([^[\]{}]*?)\s+\]/g, onOneLine)}\n`;
}

const defaults = presets.countries.training;
// Of a file, not of the configuration in it.
const { $schema: _, extends: __, ...properties } = (trainingSchema as Node).properties!;
const root: Node = { ...(trainingSchema as Node), properties };

/** A list of what takes part, each optional: a key whose default is that there are none. */
function isChoice({ properties, default: none }: Node): boolean {
  return properties !== undefined && none !== undefined;
}

/** Every key with the value of the defaults that stands there. */
function nodesOf(node: Node, value: unknown, path: readonly string[] = []): [string, Node, unknown][] {
  const inner = Object.entries(isChoice(node) ? {} : (node.properties ?? {})).flatMap(([key, child]) =>
    nodesOf(child, (value as Record<string, unknown>)[key], [...path, key]),
  );
  return [[path.join('.'), node, value], ...inner];
}
const nodes = nodesOf(root, defaults);
const leaves = nodes.filter(([, node]) => node.properties === undefined || isChoice(node));

/** A configuration with nothing but one value at a path. */
function at(path: string, value: unknown): unknown {
  // Blocks want other values beside them, too.
  if (path === 'model.relationForm')
    return { model: { relationForm: value, entityNormalisation: 'l1', score: 'innerProduct' } };
  // What blocks alone take.
  if (path === 'model.projectionInput' && (value === 'lengthened' || value === 'domain'))
    return {
      model: {
        relationForm: 'blocks',
        entityNormalisation: 'l1',
        score: 'innerProduct',
        projectionInput: value,
      },
    };
  return path.split('.').reduceRight<unknown>((inner, key) => ({ [key]: inner }), value);
}

/** What the reader says to one value; '' where it takes it. */
function refusal(path: string, value: unknown): string {
  try {
    parseTrainingConfig(at(path, value), defaults);
    return '';
  } catch (error) {
    return error instanceof FuzzError ? error.message : Promise.reject(error).toString();
  }
}

/** Values that a schema takes and values that it refuses, at its borders. */
function borders(node: Node): { good: readonly unknown[]; bad: readonly unknown[] } {
  if (node.enum !== undefined) return { good: node.enum, bad: ['no such', 1] };
  const step = node.type === 'integer' ? 1 : 1e-9;
  const { minimum, maximum, exclusiveMinimum } = node;
  const good = [minimum, maximum].filter((each) => each !== undefined);
  const bad: unknown[] = ['1', null, ...(node.type === 'integer' ? [1.5] : [])];
  if (minimum !== undefined) bad.push(minimum - step);
  if (maximum !== undefined) bad.push(maximum + step);
  if (exclusiveMinimum !== undefined) {
    good.push(exclusiveMinimum + 1e-9);
    bad.push(exclusiveMinimum, exclusiveMinimum - 1);
  }
  // Where the schema has no border, the reader must have none either.
  if (node.type === 'number')
    good.push(...(minimum === undefined && exclusiveMinimum === undefined ? [-1e9] : []));
  if (maximum === undefined) good.push(1e9);
  return { good, bad };
}

describe('the JSON schema of a training configuration', () => {
  it('is what the schema of the reader writes; after a change of it: npx vitest run --update', async () => {
    await expect(written()).toMatchFileSnapshot('training.schema.json');
  });

  it.each(nodes.filter(([, node]) => node.properties !== undefined && !isChoice(node)))(
    'has the keys of the configuration at "%s", all described',
    (path, node, value) => {
      expect(Object.keys(node.properties!).sort()).toEqual(Object.keys(value as object).sort());
      expect(node.additionalProperties).toBe(false);
      expect(refusal(path === '' ? 'noSuch' : `${path}.noSuch`, 1)).toMatch(/no such key/);
    },
  );

  it.each(leaves)('gives %s the default of the preset, and says where it comes from', (_, node, value) => {
    expect(node.default).toEqual(value);
    expect(node.description).toMatch(/Default: \S.*\.$/);
  });

  it.each(leaves.filter(([, node]) => node.type !== 'object'))(
    'draws the same borders for %s',
    (path, node) => {
      const { good, bad } = borders(node);
      for (const value of good) expect(refusal(path, value), `${path} = ${String(value)}`).toBe('');
      for (const value of bad) expect(refusal(path, value), `${path} = ${String(value)}`).toMatch(/expected/);
      if (node.enum !== undefined)
        expect(refusal(path, 'no such')).toContain(node.enum.map((each) => JSON.stringify(each)).join(', '));
    },
  );

  it('takes the regularisers, each with a weight above 0', () => {
    expect(Object.keys(properties['regularisers']!.properties!)).toEqual(regulariserNames);
    for (const name of regulariserNames) {
      const { good, bad } = borders(properties['regularisers']!.properties![name]!.properties!['weight']!);
      for (const value of good) expect(refusal('regularisers', { [name]: { weight: value } })).toBe('');
      for (const value of bad)
        expect(refusal('regularisers', { [name]: { weight: value } })).toMatch(/expected/);
    }
    expect(refusal('regularisers', { n4: { weight: 1 } })).toMatch(/no such key/);
  });

  it('takes the ways to draw a link, each with a share above 0', () => {
    const members = properties['links']!.properties!;
    expect(Object.keys(members)).toEqual(linkDrawNames);
    for (const name of linkDrawNames) {
      const { good, bad } = borders(members[name]!);
      for (const value of good) expect(refusal('links', { [name]: value })).toBe('');
      for (const value of bad) expect(refusal('links', { [name]: value })).toMatch(/expected/);
    }
    expect(refusal('links', { queries: 1 })).toMatch(/no such key/);
  });

  it.each(['batch', 'weights'])('takes the structures, and numbers in the same bounds, in %s', (path) => {
    const members = properties[path]!.properties!;
    expect(Object.keys(members)).toEqual(structureNames);
    for (const name of structureNames) {
      const { good, bad } = borders(members[name]!);
      for (const value of good) expect(refusal(path, { [name]: value })).toBe('');
      for (const value of bad) expect(refusal(path, { [name]: value })).toMatch(/expected/);
    }
    expect(refusal(path, { '4p': 1 })).toMatch(/no such key/);
  });
});
