import { asEntityId, asRelationId } from '@fuzzqe/core';
import { type Condition, type Pattern, parsePatternText, type Term } from '@fuzzqe/core/query';
import { createVocabulary } from '@fuzzqe/names';

/** A link of a pattern, or a link that must not be there. */
export interface PatternAtom {
  readonly relation: number;
  readonly from: Term;
  readonly to: Term;
  readonly negated: boolean;
}

/** The shape that all patterns of one type share: atoms whose relations and entities are slots. */
export interface PatternType<Name extends string = string> {
  readonly name: Name;
  /** The names of the variables; variable 0 is the answer. */
  readonly variables: readonly string[];
  /** Relations are numbers of slots; entities are numbers of anchors. */
  readonly atoms: readonly PatternAtom[];
  readonly anchors: number;
  readonly relations: number;
}

const most = 26;
const slots = createVocabulary({
  entities: Array.from({ length: most }, (_, i) => named(String.fromCharCode(97 + i))),
  relations: Array.from({ length: most }, (_, i) => named(`r${i + 1}`)),
});

/**
 * Reads a type in the notation of patterns: relations are r1, r2, …, entities a, b, ….
 *
 * A type has one answer variable, which comes first, and links and negated links alone.
 *
 * @throws FuzzError `query`: as `parsePatternText`.
 * @example
 * const parallel = patternType('2m', '?x : r1(a, ?y), r2(?y, ?x), r3(?y, ?x)');
 */
export function patternType<Name extends string>(name: Name, text: string): PatternType<Name> {
  const pattern = parsePatternText(text, slots);
  const atoms = atomsOf(pattern).map((atom) => ({ ...atom, relation: atom.relation / 2 }));
  const anchors = new Set(
    atoms.flatMap(({ from, to }) => [from, to].flatMap((term) => ('entity' in term ? [term.entity] : []))),
  );
  const relations = new Set(atoms.map(({ relation }) => relation));
  return {
    name,
    variables: pattern.variables,
    atoms,
    anchors: anchors.size,
    relations: relations.size,
  };
}

/** The pattern of a type with these entities and relations in its slots. */
export function fillPattern(
  { variables, atoms }: PatternType,
  anchors: ArrayLike<number>,
  relations: ArrayLike<number>,
): Pattern {
  const filled = (term: Term): Term =>
    'entity' in term ? { entity: asEntityId(anchors[term.entity]!) } : term;
  const operands = atoms.map(({ relation, from, to, negated }): Condition => {
    const link: Condition = {
      op: 'link',
      relation: asRelationId(relations[relation]!),
      from: filled(from),
      to: filled(to),
    };
    return negated ? { op: 'not', operand: link } : link;
  });
  return { variables, answers: [0], where: { op: 'and', operands } };
}

/** The links and negated links of a pattern that has nothing else. */
export function atomsOf({ where }: Pattern): PatternAtom[] {
  const conditions = where.op === 'and' ? where.operands : [where];
  return conditions.flatMap((condition) => {
    const link = condition.op === 'not' ? condition.operand : condition;
    if (link.op !== 'link') return [];
    const { relation, from, to } = link;
    return [{ relation, from, to, negated: condition.op === 'not' }];
  });
}

/** A term as text, so that terms can be compared. */
export function nameOfTerm(term: Term): string {
  return 'entity' in term ? `${term.entity}` : `?${term.variable}`;
}

/** The variables of an atom. */
export function variablesOf({ from, to }: Pick<PatternAtom, 'from' | 'to'>): number[] {
  return [from, to].flatMap((term) => ('variable' in term ? [term.variable] : []));
}

function named(key: string): { readonly key: string; readonly label: string } {
  return { key, label: key };
}
