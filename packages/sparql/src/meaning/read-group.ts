import type { EntityId } from '@fuzzqe/core';
import { type Condition, joined, type Term as QueryTerm } from '@fuzzqe/core/query';
import type {
  GraphNode,
  Pattern,
  PatternUnion,
  PatternValues,
  Term,
  TripleCollection,
  TripleNesting,
} from '@traqula/rules-sparql-1-1';
import { placeOf } from '../syntax/parsed-text.ts';
import { readVariable } from './answer-columns.ts';
import { oneOf } from './one-of.ts';
import { pathCondition } from './path-condition.ts';
import { type AnswerFilter, readFilter } from './read-filter.ts';
import { readPath } from './read-path.ts';
import { type Reading, showVariable } from './reading.ts';

/** What a part of a group says, and where it stands in the text. */
export interface Part {
  readonly condition: Condition;
  readonly at: number;
}

/** What a group says. */
export interface Group {
  /** Everything that holds together, in the order of the text. */
  readonly parts: readonly Part[];
  /** The variables that have a value in every answer. */
  readonly binds: ReadonlySet<string>;
  /** All variables that the group names, in the order of the text. */
  readonly mentions: ReadonlySet<string>;
}

/** What a group is read with, apart from the text. */
export interface GroupOptions {
  /** The variables whose values come from outside, as for a group within a filter. */
  readonly given?: ReadonlySet<string>;
  /** Hears what filters say of the answers themselves, as `?degree >= 0.5`; without it they are refused. */
  readonly onAnswers?: ((filter: AnswerFilter) => void) | undefined;
}

/** A group under way. */
interface OpenGroup extends Reading {
  readonly given: ReadonlySet<string>;
  readonly binds: Set<string>;
  readonly mentions: Set<string>;
}

/**
 * The conditions of a group.
 *
 * A filter bears on the whole group, wherever it stands, and MINUS on what comes before it. If the group gives a variable no value, EXISTS
 * and MINUS have a variable of their own (SPARQL 1.1, 18.6 and 18.5).
 *
 * @throws FuzzError `query` or `vocabulary`, with the place: what no pattern can say.
 */
export function readGroup(
  patterns: readonly Pattern[],
  at: number,
  reading: Reading,
  { given = new Set(), onAnswers }: GroupOptions = {},
): Group {
  const group: OpenGroup = { ...reading, given, binds: new Set(), mentions: new Set() };
  // Triples between which nothing stands but filters are one basic graph pattern (SPARQL 1.1, 5.1).
  let block: object = {};
  const read = patterns.map((pattern): Part[] => {
    if (pattern.type === 'pattern' && pattern.subType === 'filter') return [];
    if (pattern.type === 'query' || pattern.subType !== 'bgp') block = {};
    return readPart(pattern, block, group);
  });
  const visible = new Set([...given, ...group.binds]);
  const parts = patterns.flatMap((pattern, i): readonly Part[] => {
    if (pattern.type === 'query' || pattern.subType !== 'filter') return read[i]!;
    const place = placeOf(pattern);
    const exists = (inner: readonly Pattern[], place: number): Condition | undefined => {
      const scope = group.scope.inner(visible);
      const found = readGroup(inner, place, { ...reading, scope }, { given: visible });
      addAll(group.mentions, found.mentions);
      return conditionOf(found);
    };
    const filter = { ...group, visible, groupAt: at, onAnswers, exists };
    const conditions = readFilter(pattern.expression, place, filter);
    return conditions.map((condition) => ({ condition, at: place }));
  });
  return { parts, binds: group.binds, mentions: group.mentions };
}

/** Everything that a group says as one condition; undefined if it says nothing. */
export function conditionOf({ parts }: Pick<Group, 'parts'>): Condition | undefined {
  return parts.length === 0
    ? undefined
    : joined(
        'and',
        parts.map(({ condition }) => condition),
      );
}

function readPart(pattern: Pattern, block: object, group: OpenGroup): Part[] {
  const at = placeOf(pattern);
  const { given } = group;
  if (pattern.type === 'query') throw refuse('SELECT within SELECT', at, group);
  switch (pattern.subType) {
    case 'bgp':
      return pattern.triples.flatMap((each) => readTriples(each, { ...group, block }));
    case 'values':
      return [{ condition: readValues(pattern, group), at }];
    case 'group': {
      const inner = readGroup(pattern.patterns, at, group, { given });
      addAll(group.binds, inner.binds);
      addAll(group.mentions, inner.mentions);
      return partsOf(conditionOf(inner), at);
    }
    case 'union':
      return [{ condition: readUnion(pattern, at, group), at }];
    case 'minus': {
      const before = new Set([...given, ...group.binds]);
      const scope = group.scope.inner(before);
      const inner = readGroup(pattern.patterns, at, { ...group, scope });
      addAll(group.mentions, inner.mentions);
      const removed = conditionOf(inner);
      if (removed !== undefined && [...inner.binds].some((name) => before.has(name)))
        return [{ condition: { op: 'not', operand: removed }, at }];
      const [name] = inner.binds;
      const shown = name === undefined ? 'a variable' : showVariable(name);
      const hint = `Write MINUS after the patterns that give ${shown} values: it removes from those alone.`;
      throw group.fail(at, 'MINUS: expected it after what it removes from', hint);
    }
    default:
      throw refuse(pattern.subType.toUpperCase(), at, group);
  }
}

const partsOf = (condition: Condition | undefined, at: number): Part[] =>
  condition === undefined ? [] : [{ condition, at }];

function addAll(all: Set<string>, more: Iterable<string>): void {
  for (const each of more) all.add(each);
}

/** Any of some groups; a variable has a value where all groups give a value. */
function readUnion({ patterns }: PatternUnion, at: number, group: OpenGroup): Condition {
  const { given, fail, openIn } = group;
  const branches = patterns.map((branch) => readGroup(branch.patterns, placeOf(branch), group, { given }));
  const all = new Set(branches.flatMap(({ binds }) => [...binds]));
  for (const { mentions } of branches) addAll(group.mentions, mentions);
  for (const name of all) {
    const without = branches.find(({ binds }) => !binds.has(name));
    if (without === undefined) {
      group.binds.add(name);
      continue;
    }
    const shown = showVariable(name);
    const got = without.mentions.has(name) ? 'filters alone' : 'a branch without it';
    const hint = `Every branch of UNION has to say what ${shown} is.`;
    const message = `${shown}: expected a pattern that gives it values in every branch, got ${got}`;
    openIn.set(name, fail(at, message, hint));
  }
  const operands = branches.map((branch) => {
    const condition = conditionOf(branch);
    if (condition !== undefined) return condition;
    throw fail(at, 'UNION: expected a pattern in every branch, got a branch without any', 'Leave it out.');
  });
  return joined('or', operands);
}

const hints: Readonly<Record<string, string>> = {
  OPTIONAL: 'Every pattern of a ranked query bears on its degree: leave it out, or write UNION.',
  'SELECT within SELECT': 'Write its patterns in braces.',
  BIND: 'Ranked answers have no values of their own apart from ?degree, ?known and ?label.',
  GRAPH: 'A bundle is one graph.',
  SERVICE: 'The model answers from its own graph alone.',
};

function refuse(what: string, at: number, { fail }: Reading): Error {
  const hint =
    hints[what] ?? 'Patterns are triples, braces, UNION, MINUS, VALUES, FILTER EXISTS and FILTER NOT EXISTS.';
  return fail(at, `${what}: expected a pattern that has a degree`, hint);
}

/** How triples are read: within a basic graph pattern. */
interface BlockReading extends OpenGroup {
  readonly block: object;
}

function readTriples(triples: TripleNesting | TripleCollection, reading: BlockReading): Part[] {
  if (triples.type === 'tripleCollection') return readCollection(triples, reading).parts;
  const subject = readNode(triples.subject, reading);
  const steps = readPath(triples.predicate, reading);
  const object = readNode(triples.object, reading);
  const condition = pathCondition(subject.end, steps, object.end, reading.scope);
  return [...subject.parts, ...object.parts, { condition, at: placeOf(triples) }];
}

interface Node {
  readonly end: QueryTerm;
  /** What brackets say of it. */
  readonly parts: Part[];
}

function readNode(node: GraphNode, reading: BlockReading): Node {
  return node.type === 'tripleCollection'
    ? readCollection(node, reading)
    : { end: readEnd(node, reading), parts: [] };
}

function readCollection(collection: TripleCollection, reading: BlockReading): Node {
  if (collection.subType === 'list') {
    const hint = 'Lists of RDF are no entities.';
    throw reading.fail(placeOf(collection), 'list: expected an entity or a variable, got a list', hint);
  }
  const parts = collection.triples.flatMap((each) => readTriples(each, reading));
  return { end: readEnd(collection.identifier, reading), parts };
}

function readEnd(term: Term, reading: BlockReading): QueryTerm {
  const bind = (name: string): QueryTerm => {
    reading.binds.add(name);
    reading.mentions.add(name);
    return { variable: reading.scope.numberOf(name) };
  };
  if (term.subType === 'variable') return bind(readVariable(term, reading));
  if (term.subType === 'blankNode') {
    const { blankNodes, block } = reading;
    const { label } = term;
    if ((blankNodes.get(label) ?? block) !== block) {
      const hint = 'Write a variable, as ?y, where both mean the same, and another label where they do not.';
      throw reading.fail(
        placeOf(term),
        'blank node: expected a label of one graph pattern, got one of two',
        hint,
      );
    }
    blankNodes.set(label, block);
    return bind(`_:${label}`);
  }
  return { entity: reading.names.entity(term) };
}

/** `VALUES`: the rows are branches. */
function readValues({ variables, values, ...pattern }: PatternValues, group: OpenGroup): Condition {
  const at = placeOf(pattern);
  const { scope, fail, names } = group;
  const hint = 'Write VALUES ?x { entity:a entity:b }.';
  if (variables.length === 0) throw fail(at, 'VALUES: expected a variable, got none', hint);
  const columns = variables.map((variable) => readVariable(variable, group));
  addAll(group.binds, columns);
  addAll(group.mentions, columns);
  if (values.length === 0) throw fail(at, 'VALUES: expected one entity or more, got none', hint);
  const rows = values.map((row) =>
    columns.map((name): EntityId => {
      const value = row[name];
      if (value === undefined) throw fail(at, 'VALUES: expected an entity in every row, got UNDEF', hint);
      return names.entity(value);
    }),
  );
  const [first] = columns;
  if (columns.length === 1) return oneOf(scope.numberOf(first!), rows.flat());
  const operands = rows.map(
    (row): Condition => ({
      op: 'and',
      operands: row.map((each, i) => oneOf(scope.numberOf(columns[i]!), [each])),
    }),
  );
  return joined('or', operands);
}
