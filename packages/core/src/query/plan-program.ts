import { FuzzError } from '../errors.ts';
import { type StructureName, structures, type Template } from './structures.ts';

/** One query of a mixed batch. */
export interface StructureQuery {
  readonly structure: StructureName;
  readonly anchors: readonly number[];
  readonly relations: readonly number[];
}

/** How many terms one value of a program is made of, at most. */
export const termsPerValue = 3;

/** What one term is: a register, whether it is negated (0 or 1), and how it is joined to what stands before it. */
export const fieldsPerTerm = 3;

/** How a term is joined: not at all, by ∧ or by ∨. The first term of a value is always there, and its join is 0. */
export const joins = { none: 0, and: 1, or: 2 } as const;

/**
 * What the program graph runs for a batch of queries: the feeds of its inputs of the same names, but `k`.
 *
 * Registers hold vectors: first a row for each anchor's projection, then one for each projection of the second level,
 * then of the third. A value is up to three terms, joined from left to right; a missing term is zeros.
 * Shapes: anchors, firstRelations [first]; secondTerms [second, 3, 3], secondRelations [second]; thirdTerms
 * [third, 3, 3], thirdRelations [third]; answerTerms [batch, 3, 3]. No dimension is 0.
 */
export interface ProgramPlan {
  readonly anchors: Int32Array;
  readonly firstRelations: Int32Array;
  readonly secondTerms: Int32Array;
  readonly secondRelations: Int32Array;
  readonly thirdTerms: Int32Array;
  readonly thirdRelations: Int32Array;
  readonly answerTerms: Int32Array;
}

/** A register by its level (0, 1, 2) and its row there: where the levels begin is known only at the end. */
interface Term {
  readonly level: number;
  readonly row: number;
  readonly negated: boolean;
  readonly join: number;
}
type Value = readonly [Term, ...Term[]];

interface Row {
  readonly value: Value;
  readonly relation: number;
}

/**
 * Plans queries of any structures as one run of the program graph; row i of the answer is query i.
 *
 * Ids are not checked. @throws FuzzError `range`: no query. `shape`: a structure that needs more levels or terms.
 */
export function planProgram(queries: readonly StructureQuery[]): ProgramPlan {
  if (queries.length === 0) throw new FuzzError('range', 'queries: expected at least one, got none');
  const first: { anchor: number; relation: number }[] = [];
  const later: readonly [Row[], Row[]] = [[], []];

  const lower = (template: Template, query: StructureQuery): Value => {
    switch (template.op) {
      case 'entity':
        throw unsupported('an anchor without a projection');
      case 'project': {
        const relation = query.relations[template.relation]!;
        if (template.from.op === 'entity') {
          const row = first.push({ anchor: query.anchors[template.from.anchor]!, relation }) - 1;
          return [register(0, row)];
        }
        const value = lower(template.from, query);
        const level = Math.max(...value.map((term) => term.level)) + 1;
        const rows = later[level - 1];
        if (rows === undefined) throw unsupported('more than three projections in a row');
        return [register(level, rows.push({ value, relation }) - 1)];
      }
      case 'not': {
        const [term, ...rest] = lower(template.operand, query);
        if (rest.length > 0) throw unsupported('the negation of several terms');
        return [{ ...term, negated: !term.negated }];
      }
      case 'and':
      case 'or': {
        const [head, ...rest] = template.operands.map((operand) => lower(operand, query));
        const joined = rest.map((value): Term => {
          if (value.length > 1) throw unsupported('several terms on the right of a join');
          return { ...value[0], join: joins[template.op as 'and' | 'or'] };
        });
        if (head!.length + joined.length > termsPerValue)
          throw unsupported(`more than ${termsPerValue} terms`);
        return [...head!, ...joined];
      }
    }
  };
  const answers = queries.map((query) => lower(structures[query.structure].template, query));

  // Runtimes disagree about tensors without rows. A row that nobody reads costs one projection, and least where it
  // repeats a relation that is read anyway.
  for (const rows of later)
    if (rows.length === 0) rows.push({ value: [register(0, 0)], relation: first[0]!.relation });

  const [second, third] = later;
  const begins = [0, first.length, first.length + second.length];
  const encode = (values: readonly Value[]): Int32Array => {
    const terms = new Int32Array(values.length * termsPerValue * fieldsPerTerm);
    values.forEach((value, i) => {
      value.forEach(({ level, row, negated, join }, j) => {
        terms.set([begins[level]! + row, negated ? 1 : 0, join], (i * termsPerValue + j) * fieldsPerTerm);
      });
    });
    return terms;
  };
  const relationsOf = (rows: readonly { relation: number }[]): Int32Array =>
    Int32Array.from(rows, ({ relation }) => relation);
  return {
    anchors: Int32Array.from(first, ({ anchor }) => anchor),
    firstRelations: relationsOf(first),
    secondTerms: encode(second.map(({ value }) => value)),
    secondRelations: relationsOf(second),
    thirdTerms: encode(third.map(({ value }) => value)),
    thirdRelations: relationsOf(third),
    answerTerms: encode(answers),
  };
}

const register = (level: number, row: number): Term => ({ level, row, negated: false, join: joins.none });

const unsupported = (what: string): FuzzError =>
  new FuzzError('shape', `the program graph cannot express ${what}`);
