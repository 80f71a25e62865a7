import {
  checkPattern,
  type Pattern,
  type PatternPlan,
  plainTree,
  planPattern,
  type Query,
  relationsOf,
} from '@fuzzqe/core/query';
import { nameEntity } from '../explain/name-explanation.ts';
import {
  aDate,
  anObject,
  anything,
  aSignal,
  aText,
  checkForms,
  checkNames,
  flag,
  integerIn,
  isWithin,
  type OptionForm,
  oneOf,
} from '../options/option-forms.ts';
import type { PatternRequest, PatternResult } from '../ranker/ranker.ts';
import { leastAnswer, leastSuggestion, undoubted } from '../sets/answer-state.ts';
import { type GivenSet, isPositive } from '../sets/pattern-mode.ts';
import { type GivenState, givenSets, type Likenesses } from './given-sets.ts';
import type {
  PatternAnswer,
  PatternEntity,
  PatternOptions,
  PatternOrder,
  PatternRow,
} from './pattern-answer.ts';
import { patternSupport, type SupportState } from './pattern-support.ts';
import { planOfTuple } from './plan-of-tuple.ts';
import { setSupport } from './set-support.ts';
import { createTupleSort } from './sort-tuples.ts';

/** What patterns are answered from. */
export interface MatchingState extends SupportState, GivenState {
  /** What the graph of now says of relations. */
  readonly warningsOf: (relationsOf: () => readonly number[]) => readonly string[];
}

/** Answers patterns with names. */
export type Matching = (pattern: Pattern, options: PatternOptions) => Promise<PatternAnswer>;

/** How many links are computed at most, unless a caller says otherwise. */
export const defaultLinks = 64;

/** How many entities are tried for a variable at most, unless a caller says otherwise. */
export const defaultWidth = 256;

/** How many tuples a call gives at most. */
export const mostTuples = 10_000;

/** How many links are computed, and entities tried for a variable, at the most that a caller may ask for. */
export const mostLinks: number = 2 ** 16;

/** Up to which number recorded tuples are counted. */
const mostCounted = 100_000;

const forms: Readonly<Record<keyof PatternOptions, OptionForm>> = {
  k: integerIn(1, mostTuples),
  minDegree: ['a number in [0, 1]', (value) => isWithin(value, 0, 1)],
  suggestions: flag,
  exclude: oneOf('known', 'none'),
  at: aDate,
  explain: flag,
  count: flag,
  exists: oneOf('max', 'or'),
  links: integerIn(1, mostLinks),
  width: integerIn(1, mostLinks),
  tuple: ['a list of ids', Array.isArray],
  order: anObject,
  caller: anything,
  asksAgain: flag,
  signal: aSignal,
  deadline: anything,
};

const orderForms: Readonly<Record<keyof PatternOrder, OptionForm>> = {
  property: aText,
  variable: aText,
  descending: flag,
};

/**
 * Refuses options that a pattern does not have.
 *
 * @throws FuzzError `usage` or `range`.
 */
export function checkPatternOptions(options: PatternOptions): void {
  checkNames(options, Object.keys(forms));
  const hint = 'docs/query-notation.md says what patterns take.';
  checkForms(options, forms, 'range', '$', hint);
  if (options.order === undefined) return;
  checkNames(options.order, Object.keys(orderForms));
  checkForms(options.order, orderForms, 'range', '$.order', hint);
}

/** Answers patterns by whatever ranks: a pattern that is a tree as that tree, every other pattern by a search. */
export function createMatching(state: MatchingState): Matching {
  const { vocabulary, facts, ranker, warningsOf } = state;
  const entityOf = (id: number): PatternEntity => nameEntity(vocabulary, id);
  return async (pattern, options) => {
    checkPatternOptions(options);
    checkPattern(pattern, facts);
    const plan = planPattern(pattern, options.exists);
    const searched = options.tuple === undefined ? plan : planOfTuple(plan, options.tuple, pattern, facts);
    const { minDegree = leastAnswer, suggestions = true, exclude, explain = false, count = false } = options;
    const likenesses: Likenesses = new Map();
    const given = await givenSets(pattern, state, likenesses);
    const sort = options.order && (await createTupleSort(options.order, pattern, plan, state));
    const k = options.k ?? 10;
    const request: PatternRequest = {
      task: 'pattern',
      plan: searched,
      // A question of yes or no has one answer at most.
      k: pattern.answers.length === 0 ? 1 : sort === undefined ? k : mostTuples,
      links: options.links ?? defaultLinks,
      width: options.width ?? defaultWidth,
      exists: options.exists,
      least: suggestions && sort === undefined ? Math.min(minDegree, leastSuggestion) : minDegree,
      answersFrom: minDegree,
      exclude,
      given,
      count: count ? mostCounted : undefined,
    };
    const tree = count ? undefined : plainTree(searched);
    const found =
      tree === undefined ? (await ranker.rank([request], options))[0]! : await byTree(tree, request, options);
    const { result, values } = sort?.(found, k) ?? { result: found, values: [] };
    const because = explain ? await patternSupport(state, pattern, plan, result, options) : undefined;
    const sets =
      explain && given.length > 0 ? await setSupport(state, likenesses, pattern, plan, result) : undefined;
    const rows = rowsOf(pattern, plan, result, given).map((row, i) => ({
      ...row,
      ...(values[i] === undefined ? {} : { value: values[i] }),
      ...(because === undefined ? {} : { because: because[i]! }),
      ...(sets === undefined ? {} : { sets: sets[i]! }),
    }));
    const from = Math.fround(minDegree);
    const isAnswer = ({ state: stands, degree }: PatternRow): boolean =>
      stands !== 'predicted' || degree >= from;
    const { unseen, recorded, atLeast = false, links, degrees } = found;
    const expected = degrees.reduce((sum, degree) => sum + degree, 0);
    return {
      columns: pattern.answers.map((variable) => pattern.variables[variable]!),
      rows: rows.filter(isAnswer),
      suggestions: rows.filter((row) => !isAnswer(row)),
      exact: unseen === 0,
      unseen,
      ...(recorded === undefined ? {} : { counts: { recorded, atLeast, expected } }),
      warnings: [
        ...warningsOf(() => relationsOf(pattern)),
        ...(unseen > 0 ? [notExact(unseen)] : []),
        ...(sort !== undefined && degrees.length === mostTuples ? [notAllSorted] : []),
      ],
      plan: {
        kind: tree === undefined ? 'search' : 'tree',
        variables: plan.steps.flatMap(({ variable }) => pattern.variables[variable] ?? []),
        links,
      },
    };
  };

  async function byTree(
    query: Query,
    { k, least, answersFrom, exclude }: PatternRequest,
    limits: PatternOptions,
  ): Promise<PatternResult> {
    const wanted = { k: Math.min(k, facts.entityCount), minDegree: least, answersFrom, exclude };
    const [result] = await ranker.rank([{ task: 'sets' as const, query, ...wanted }], limits);
    const { ids, degrees, known } = result!;
    return { task: 'pattern', tuples: ids, assignments: ids, degrees, known, unseen: 0, links: 0 };
  }

  function rowsOf(
    { variables }: Pattern,
    plan: PatternPlan,
    { assignments, degrees, known }: PatternResult,
    given: readonly GivenSet[],
  ): PatternRow[] {
    const positive = isPositive(plan, given);
    return Array.from(degrees, (degree, i) => {
      const values = assignments.subarray(i * plan.steps.length, (i + 1) * plan.steps.length);
      const others = plan.steps.flatMap(({ variable }, step): [string, PatternEntity][] => {
        const name = variables[variable];
        return name === undefined || plan.answers.includes(step) ? [] : [[name, entityOf(values[step]!)]];
      });
      const surely = degree >= undoubted || positive ? 'recorded' : 'doubted';
      return {
        entities: plan.answers.map((step) => entityOf(values[step]!)),
        state: known[i] === 1 ? surely : 'predicted',
        degree,
        others: Object.fromEntries(others),
      };
    });
  }
}

const notAllSorted = `not-all-sorted: there may be more than ${mostTuples} answers: those of the highest degrees were sorted; add a condition`;

function notExact(unseen: number): string {
  const degree = unseen.toFixed(3);
  return `not-exact: the search ended at its budget: a tuple of degree ${degree} or less may be missing; raise links or width, or add a condition`;
}
