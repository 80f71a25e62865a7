import { FuzzError } from '../errors.ts';
import { describeValue } from '../input/describe-value.ts';
import type { Vocabulary } from '../kg/vocabulary.ts';
import { checkPattern } from './check-pattern.ts';
import { checkSize } from './check-query.ts';
import type { Condition, Pattern, Term } from './pattern.ts';
import { parsePatternText } from './pattern-notation.ts';
import { joined, type Query, type Repeat, repeats } from './query.ts';
import {
  type QueryJson,
  readEntityJson,
  readQuery,
  readRelationJson,
  writeEntityJson,
  writeQuery,
  writeRelationJson,
} from './query-json.ts';
import { memberOfSet, type SetMeaning } from './set-meaning.ts';
import { type ComparedValue, checkValueTest, type ValueOperator } from './value-test.ts';

/** A variable as `?name`, an entity by its key, label or id; `{"entity": …}` where an entity's name begins with a question mark. */
export type TermJson = string | number | { readonly entity: string | number };

/** A condition as JSON. */
export type ConditionJson =
  | {
      readonly link: string | number;
      readonly from: TermJson;
      readonly to: TermJson;
      /** How often the relation is followed. Default: once. */
      readonly repeat?: Repeat;
    }
  | { readonly same: readonly [TermJson, TermJson] }
  | { readonly in: QueryJson; readonly variable: string }
  | {
      /** The key or label of a property whose values are literals. */
      readonly where: string;
      readonly is: ValueOperator;
      /** Of `in` the first and the last value. */
      readonly value: ComparedValue | readonly [ComparedValue, ComparedValue];
      readonly variable: string;
    }
  | { readonly like: string | number; readonly variable: string }
  | { readonly not: ConditionJson }
  | { readonly and: readonly ConditionJson[] }
  | { readonly or: readonly ConditionJson[] };

/** A pattern as JSON; a string in its place is notation. */
export type PatternJson =
  | string
  | { readonly select?: readonly string[]; readonly where: readonly ConditionJson[] };

const forms =
  '{"link": …, "from": …, "to": …}, {"same": […, …]}, {"in": …, "variable": …}, {"where": …, "is": …, "value": …, "variable": …}, {"like": …, "variable": …}, {"not": …}, {"and": […]} or {"or": […]}';
const keysOfForm: Readonly<Record<string, readonly string[]>> = {
  link: ['link', 'from', 'to', 'repeat'],
  same: ['same'],
  in: ['in', 'variable'],
  where: ['where', 'is', 'value', 'variable'],
  like: ['like', 'variable'],
  not: ['not'],
  and: ['and'],
  or: ['or'],
};

/**
 * Reads a pattern from JSON.
 *
 * `{"select": ["?x", "?y"], "where": [{"link": "spouse", "from": "?x", "to": "?y"}]}`; without `select` it is a question of yes or no.
 *
 * @throws FuzzError `query`, `vocabulary` or `range`, with the JSON path of the place.
 */
export function readPattern(value: unknown, vocabulary: Vocabulary, path = '$'): Pattern {
  if (typeof value === 'string') return parsePatternText(value, vocabulary, path);
  const { select = [], where } = fieldsOf(value, ['select', 'where'], path);
  const variables: string[] = [];
  const variableOf = (given: unknown, here: string): number => {
    const name = typeof given === 'string' ? /^\?([\p{L}\p{M}\p{N}_]+)$/u.exec(given)?.[1] : undefined;
    if (name === undefined) throw unexpected('a variable such as "?x"', given, here);
    const at = variables.indexOf(name);
    return at < 0 ? variables.push(name) - 1 : at;
  };
  let conditions = 0;
  const termOf = (given: unknown, here: string): Term => {
    if (typeof given === 'string' && given.startsWith('?')) return { variable: variableOf(given, here) };
    const named =
      typeof given === 'object' && given !== null ? fieldsOf(given, ['entity'], here)['entity'] : given;
    return { entity: readEntityJson(named, vocabulary, here) };
  };
  const listOf = (given: unknown, least: number, here: string): readonly unknown[] => {
    if (Array.isArray(given) && given.length >= least) return given;
    throw unexpected(`an array of ${least} or more`, given, here);
  };
  const read = (node: unknown, here: string, depth: number): Condition => {
    checkSize(depth, ++conditions, here);
    if (typeof node !== 'object' || node === null) throw unexpected(forms, node, here);
    const form = Object.keys(node).find((key) => Object.hasOwn(keysOfForm, key));
    if (form === undefined) throw unexpected(forms, node, here);
    const fields = fieldsOf(node, keysOfForm[form]!, here);
    const at = `${here}.${form}`;
    switch (form) {
      case 'link':
        return {
          op: 'link',
          relation: readRelationJson(fields['link'], vocabulary, at),
          from: termOf(fields['from'], `${here}.from`),
          to: termOf(fields['to'], `${here}.to`),
          ...(fields['repeat'] === undefined ? {} : { repeat: repeatOf(fields['repeat'], `${here}.repeat`) }),
        };
      case 'same': {
        const terms = listOf(fields['same'], 2, at);
        if (terms.length !== 2) throw unexpected('two terms', fields['same'], at);
        return { op: 'same', left: termOf(terms[0], `${at}[0]`), right: termOf(terms[1], `${at}[1]`) };
      }
      case 'in':
        return {
          op: 'member',
          variable: variableOf(fields['variable'], `${here}.variable`),
          query: readQuery(fields['in'], vocabulary, at),
        };
      case 'where': {
        const { where: property, is, value: values } = fields;
        const test = { ...checkValueTest({ property, is, values }, here), place: here };
        return memberOfSet(variableOf(fields['variable'], `${here}.variable`), test);
      }
      case 'like':
        return memberOfSet(variableOf(fields['variable'], `${here}.variable`), {
          op: 'like',
          entity: readEntityJson(fields['like'], vocabulary, at),
        });
      case 'not':
        return { op: 'not', operand: read(fields['not'], at, depth + 1) };
      default: {
        const op = form === 'and' ? 'and' : 'or';
        const operands = listOf(fields[op], 2, at);
        return { op, operands: operands.map((each, i) => read(each, `${at}[${i}]`, depth + 1)) };
      }
    }
  };
  const answers = listOf(select, 0, `${path}.select`).map((each, i) =>
    variableOf(each, `${path}.select[${i}]`),
  );
  const operands = listOf(where, 1, `${path}.where`).map((each, i) => read(each, `${path}.where[${i}]`, 1));
  const pattern: Pattern = {
    variables,
    answers,
    where: joined('and', operands),
  };
  checkPattern(pattern, vocabulary, path);
  return pattern;
}

/**
 * Writes a pattern as JSON, naming entities and relations by their keys.
 *
 * @throws FuzzError `range` or `query`, as `checkPattern` does.
 */
export function writePattern(pattern: Pattern, vocabulary: Vocabulary): Exclude<PatternJson, string> {
  checkPattern(pattern, vocabulary);
  const { variables, answers, where } = pattern;
  const variable = (at: number): string => `?${variables[at]}`;
  const term = (given: Term): TermJson => {
    if ('variable' in given) return variable(given.variable);
    const entity = writeEntityJson(given.entity, vocabulary);
    return entity.startsWith('?') ? { entity } : entity;
  };
  const write = (node: Condition): ConditionJson => {
    switch (node.op) {
      case 'link':
        return {
          link: writeRelationJson(node.relation, vocabulary),
          from: term(node.from),
          to: term(node.to),
          ...(node.repeat === undefined ? {} : { repeat: node.repeat }),
        };
      case 'same':
        return { same: [term(node.left), term(node.right)] };
      case 'member':
        if (node.means !== undefined) return writeSet(node.means, variable(node.variable), vocabulary);
        return { in: writeQuery(node.query as Query, vocabulary), variable: variable(node.variable) };
      case 'not':
        return { not: write(node.operand) };
      case 'and':
        return { and: node.operands.map(write) };
      case 'or':
        return { or: node.operands.map(write) };
    }
  };
  const conditions = where.op === 'and' ? where.operands.map(write) : [write(where)];
  return { ...(answers.length === 0 ? {} : { select: answers.map(variable) }), where: conditions };
}

function writeSet(means: SetMeaning, variable: string, vocabulary: Vocabulary): ConditionJson {
  if (means.op === 'like') return { like: writeEntityJson(means.entity, vocabulary), variable };
  const { property, is, values } = means;
  const [first, last] = values as [ComparedValue, ComparedValue?];
  return { where: property, is, value: last === undefined ? first : [first, last], variable };
}

function repeatOf(value: unknown, path: string): Repeat {
  const repeat = repeats.find((each) => each === value);
  if (repeat === undefined) throw unexpected('"?", "*" or "+"', value, path);
  return repeat;
}

function fieldsOf(value: unknown, keys: readonly string[], path: string): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw unexpected(`an object with ${keys.join(', ')}`, value, path);
  const extra = Object.keys(value).find((key) => !keys.includes(key));
  if (extra !== undefined) throw unexpected(`no key beside ${keys.join(', ')}`, extra, path);
  return Object.fromEntries(Object.entries(value));
}

function unexpected(expected: string, got: unknown, path: string): FuzzError {
  return new FuzzError('query', `pattern: expected ${expected}, got ${describeValue(got)}`, {
    path,
    hint: 'For example {"select": ["?x"], "where": [{"link": "borders", "from": "?x", "to": "France"}]}.',
  });
}
