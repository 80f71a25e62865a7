import type { EntityId } from '@fuzzqe/core';
import type {
  GraphNode,
  Pattern,
  PatternValues,
  Term,
  TripleCollection,
  TripleNesting,
} from '@traqula/rules-sparql-1-1';
import { placeOf } from '../syntax/parsed-text.ts';
import { readVariable } from './answer-columns.ts';
import { entitiesConstraint, groupsConstraint, negated } from './constraints.ts';
import type { Constraint, Element, End, Reading } from './element.ts';
import { type AnswerFilter, readFilter } from './read-filter.ts';
import { readPath } from './read-path.ts';

/**
 * The elements of a group, in the order of the text.
 *
 * @param onAnswers hears what filters say of the answers themselves, as `?degree >= 0.5`; without it they are refused.
 * @throws FuzzError `query` or `vocabulary`, with the place: what a tree of patterns cannot say.
 */
export function readGroup(
  patterns: readonly Pattern[],
  reading: Reading,
  onAnswers?: (filter: AnswerFilter) => void,
): Element[] {
  // Triples between which nothing stands but filters are one basic graph pattern (SPARQL 1.1, 5.1).
  let block: object = {};
  return patterns.flatMap((pattern): Element[] => {
    const at = placeOf(pattern);
    if (pattern.type === 'query') throw refuse('SELECT within SELECT', at, reading);
    if (pattern.subType !== 'bgp' && pattern.subType !== 'filter') block = {};
    switch (pattern.subType) {
      case 'bgp':
        return pattern.triples.flatMap((each) => readTriples(each, { ...reading, block }));
      case 'values':
        return [readValues(pattern, reading)];
      case 'group':
        return [groupsConstraint([readGroup(pattern.patterns, reading)], 'pattern', at, reading)];
      case 'union': {
        const branches = pattern.patterns.map((branch) => readGroup(branch.patterns, reading));
        return [groupsConstraint(branches, 'pattern', at, reading)];
      }
      case 'minus':
        return [negated(groupsConstraint([readGroup(pattern.patterns, reading)], 'removal', at, reading))];
      case 'filter':
        return readFilter(pattern.expression, at, {
          ...reading,
          onAnswers,
          elementsOf: (group) => readGroup(group, reading),
        });
      default:
        throw refuse(pattern.subType.toUpperCase(), at, reading);
    }
  });
}

const hints: Readonly<Record<string, string>> = {
  OPTIONAL: 'Every pattern of a query bears on its answers: leave it out, or write UNION.',
  'SELECT within SELECT': 'Write its patterns in braces: variables within have no names outside.',
  BIND: 'Answers have no values of their own beside ?degree, ?known and ?label.',
  GRAPH: 'A bundle is one graph.',
  SERVICE: 'The model answers from its own graph alone.',
};

function refuse(what: string, at: number, { fail }: Reading): Error {
  const hint =
    hints[what] ?? 'Patterns are triples, braces, UNION, MINUS, VALUES, FILTER EXISTS and FILTER NOT EXISTS.';
  return fail(at, `${what}: expected a pattern that a tree of projections can say`, hint);
}

/** How triples are read: within a basic graph pattern. */
interface BlockReading extends Reading {
  readonly block: object;
}

function readTriples(triples: TripleNesting | TripleCollection, reading: BlockReading): Element[] {
  if (triples.type === 'tripleCollection') return readCollection(triples, reading).elements;
  const subject = readNode(triples.subject, reading);
  const steps = readPath(triples.predicate, reading);
  const object = readNode(triples.object, reading);
  const link: Element = { kind: 'link', from: subject.end, to: object.end, steps, at: placeOf(triples) };
  return [...subject.elements, ...object.elements, link];
}

interface Node {
  readonly end: End;
  /** What brackets say of it. */
  readonly elements: readonly Element[];
}

function readNode(node: GraphNode, reading: BlockReading): Node {
  return node.type === 'tripleCollection'
    ? readCollection(node, reading)
    : { end: readEnd(node, reading), elements: [] };
}

function readCollection(
  collection: TripleCollection,
  reading: BlockReading,
): { end: End; elements: Element[] } {
  if (collection.subType === 'list') {
    const hint = 'Lists of RDF are no entities.';
    throw reading.fail(placeOf(collection), 'list: expected an entity or a variable, got a list', hint);
  }
  const elements = collection.triples.flatMap((each) => readTriples(each, reading));
  return { end: readEnd(collection.identifier, reading), elements };
}

function readEnd(term: Term, reading: BlockReading): End {
  if (term.subType === 'variable') return { variable: readVariable(term, reading) };
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
    return { variable: `_:${label}` };
  }
  return { entity: reading.names.entity(term) };
}

function readValues({ variables, values, ...pattern }: PatternValues, reading: Reading): Constraint {
  const at = placeOf(pattern);
  const [variable, ...others] = variables;
  const hint = 'Write VALUES ?x { entity:a entity:b }, once for each variable.';
  if (variable === undefined || others.length > 0) {
    throw reading.fail(at, `VALUES: expected one variable, got ${variables.length}`, hint);
  }
  const name = readVariable(variable, reading);
  const [first, ...rest] = values.map((row): EntityId => {
    const value = row[name];
    if (value === undefined)
      throw reading.fail(at, 'VALUES: expected an entity in every row, got UNDEF', hint);
    return reading.names.entity(value);
  });
  if (first === undefined) throw reading.fail(at, 'VALUES: expected one entity or more, got none', hint);
  return entitiesConstraint(name, [first, ...rest], 'pattern', at);
}
