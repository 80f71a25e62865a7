import { FuzzError } from '../errors.ts';
import { describeValue } from '../input/describe-value.ts';
import { asEntityId, asRelationId, checkId, type EntityId, inverseOf, type RelationId } from '../kg/ids.ts';
import { inverseSuffix, type Vocabulary } from '../kg/vocabulary.ts';
import { didYouMean } from '../text/nearest.ts';
import { checkOperandCount, checkQuery, checkSize, expectBounds } from './check-query.ts';
import { parseQueryText } from './notation.ts';
import type { Query } from './query.ts';

/** A query as JSON; names are keys or labels, numbers are ids, a string in a query's place is notation. */
export type QueryJson =
  | string
  | { readonly entity: string | number }
  | { readonly project: string | number; readonly from: QueryJson }
  | { readonly and: readonly QueryJson[] }
  | { readonly or: readonly QueryJson[] }
  | { readonly not: QueryJson };

const forms = '{"entity": …}, {"project": …, "from": …}, {"and": […]}, {"or": […]}, {"not": …} or a text';
const keysOfForm: Readonly<Record<string, readonly string[]>> = {
  entity: ['entity'],
  project: ['project', 'from'],
  and: ['and'],
  or: ['or'],
  not: ['not'],
};

/**
 * Reads a query from JSON.
 *
 * An entity is `{"entity": "Q142"}`, by key, label or id; a relation is named likewise, `key^-1` for its inverse.
 * Ranges: ids in [0, entityCount) and [0, relationCount); at most 64 levels and 1024 nodes.
 *
 * @throws FuzzError `query`, `vocabulary` or `range`, with the JSON path of the place.
 * @example
 * const borders = readQuery({ project: 'borders', from: { entity: 'France' } }, vocabulary);
 */
export function readQuery(value: unknown, vocabulary: Vocabulary, path = '$'): Query {
  expectBounds(vocabulary);
  let nodes = 0;
  const read = (node: unknown, here: string, depth: number): Query => {
    checkSize(depth, ++nodes, here);
    if (typeof node === 'string') return readText(node, here, depth);
    const { form, fields } = readForm(node, here);
    switch (form) {
      case 'entity':
        return { op: 'entity', entity: readEntityJson(fields[form], vocabulary, `${here}.entity`) };
      case 'project': {
        const { project, from } = fields;
        return {
          op: 'project',
          relation: readRelationJson(project, vocabulary, `${here}.project`),
          from: read(from, `${here}.from`, depth + 1),
        };
      }
      case 'not':
        return { op: 'not', operand: read(fields[form], `${here}.not`, depth + 1) };
      default: {
        const op = form === 'and' ? 'and' : 'or';
        const operands = fields[op];
        if (!Array.isArray(operands)) throw unexpected(`an array of queries`, operands, `${here}.${op}`);
        checkOperandCount(op, operands.length, `${here}.${op}`);
        return { op, operands: operands.map((item, i) => read(item, `${here}.${op}[${i}]`, depth + 1)) };
      }
    }
  };
  const readText = (text: string, here: string, depth: number): Query => {
    const query = parseQueryText(text, vocabulary, here);
    const visit = (part: Query, level: number): void => {
      checkSize(level, ++nodes, here);
      if (part.op === 'project') visit(part.from, level + 1);
      else if (part.op === 'not') visit(part.operand, level + 1);
      else if (part.op !== 'entity') for (const operand of part.operands) visit(operand, level + 1);
    };
    // The root of the text was counted where the text was met.
    nodes--;
    visit(query, depth);
    return query;
  };
  return read(value, path, 1);
}

/**
 * Reads a query from a string: in the notation, or as the text of JSON, which begins with a brace as no notation does.
 *
 * @throws FuzzError `query`, `vocabulary` or `range`, as `readQuery` does.
 */
export function readQueryString(text: string, vocabulary: Vocabulary, path = '$'): Query {
  if (!text.trimStart().startsWith('{')) return readQuery(text, vocabulary, path);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new FuzzError('query', `query: expected JSON or a text, got ${String(cause)}`, {
      path,
      hint: 'Write it as text: project(relation, entity).',
      cause,
    });
  }
  return readQuery(value, vocabulary, path);
}

/**
 * Writes a query as JSON, naming entities and relations by their keys.
 *
 * @throws FuzzError `range` or `query`, as `checkQuery` does.
 * @example
 * JSON.stringify(writeQuery(query, vocabulary));
 */
export function writeQuery(query: Query, vocabulary: Vocabulary): QueryJson {
  checkQuery(query, vocabulary);
  const write = (node: Query): QueryJson => {
    switch (node.op) {
      case 'entity':
        return { entity: writeEntityJson(node.entity, vocabulary) };
      case 'project':
        return { project: writeRelationJson(node.relation, vocabulary), from: write(node.from) };
      case 'not':
        return { not: write(node.operand) };
      case 'and':
        return { and: node.operands.map(write) };
      case 'or':
        return { or: node.operands.map(write) };
    }
  };
  return write(query);
}

/** The key of an entity, in brackets where it finds another entity. */
export function writeEntityJson(id: number, vocabulary: Vocabulary): string {
  const { key } = vocabulary.entity(id);
  // A key may look like another one between brackets.
  return vocabulary.withoutNearNames.findEntity(key) === id ? key : `<${key}>`;
}

/** The key of a relation, or its id where the key finds another relation. */
export function writeRelationJson(id: RelationId, vocabulary: Vocabulary): string | number {
  const { key } = vocabulary.relation(id);
  // A data set may itself have a key that ends with ^-1; an id is never mistaken.
  return findRelationOrInverse(key, vocabulary) === id ? key : id;
}

/**
 * The relation of a key or label, or the inverse of the one named before `^-1`.
 *
 * @throws FuzzError `vocabulary`: no such name, or one that several share.
 */
function findRelationOrInverse(name: string, vocabulary: Vocabulary): RelationId {
  // A data set may itself have a key that ends with ^-1.
  if (!name.endsWith(inverseSuffix) || vocabulary.hasRelation(name)) return vocabulary.findRelation(name);
  return inverseOf(vocabulary.findRelation(name.slice(0, -inverseSuffix.length)));
}

function readForm(node: unknown, path: string): { form: string; fields: Readonly<Record<string, unknown>> } {
  if (typeof node !== 'object' || node === null || Array.isArray(node)) throw unexpected(forms, node, path);
  const fields: Readonly<Record<string, unknown>> = Object.fromEntries(Object.entries(node));
  const keys = Object.keys(fields);
  const form = keys.find((key) => Object.hasOwn(keysOfForm, key));
  if (form === undefined) {
    const hint = didYouMean(keys[0] ?? '', Object.keys(keysOfForm), `A query is one of ${forms}.`);
    throw unexpectedKey(forms, keys[0], fields, path, hint);
  }
  const wanted = keysOfForm[form]!;
  const missing = wanted.find((key) => !Object.hasOwn(fields, key));
  const extra = keys.find((key) => !wanted.includes(key));
  // A misspelt key is both: the one that is there says more.
  if (extra !== undefined) {
    const near = didYouMean(extra, wanted, `A query has one operator: ${wanted.join(', ')}.`);
    throw unexpectedKey(`no key beside ${wanted.join(' and ')}`, extra, fields, path, near);
  }
  if (missing !== undefined) throw unexpected(`the key "${missing}" beside "${form}"`, undefined, path);
  return { form, fields };
}

/** An entity of JSON: its key, label or id. */
export function readEntityJson(value: unknown, vocabulary: Vocabulary, path: string): EntityId {
  if (typeof value === 'string') return located(path, () => vocabulary.findEntity(value));
  if (typeof value !== 'number') throw unexpected('an entity: its key, label or id', value, path);
  checkId('entity', value, vocabulary.entityCount, path);
  // JSON has -0, which is the id 0.
  return asEntityId(value + 0);
}

/** A relation of JSON: its key, label or id, `^-1` after a name for the inverse. */
export function readRelationJson(value: unknown, vocabulary: Vocabulary, path: string): RelationId {
  if (typeof value === 'string') return located(path, () => findRelationOrInverse(value, vocabulary));
  if (typeof value !== 'number') throw unexpected('a relation: its key, label or id', value, path);
  checkId('relation', value, vocabulary.relationCount, path);
  return asRelationId(value + 0);
}

function located<T>(path: string, find: () => T): T {
  try {
    return find();
  } catch (error) {
    if (!(error instanceof FuzzError)) throw error;
    const hint = error.hint === undefined ? {} : { hint: error.hint };
    throw new FuzzError(error.code, error.message, { path, ...hint, cause: error });
  }
}

function unexpectedKey(
  expected: string,
  key: string | undefined,
  node: object,
  path: string,
  hint: string,
): FuzzError {
  const got = key === undefined ? '{}' : `the key ${JSON.stringify(key)}`;
  return unexpected(expected, undefined, path, 'op' in node ? ofProgram : hint, got);
}

const ofProgram = 'This is the tree of a program: writeQuery(query, vocabulary) makes its JSON.';

function unexpected(
  expected: string,
  value: unknown,
  path: string,
  hint?: string,
  got = describeValue(value),
): FuzzError {
  return new FuzzError('query', `query: expected ${expected}, got ${got}`, {
    path,
    hint: hint ?? 'For example {"project": "borders", "from": {"entity": "France"}}.',
  });
}
