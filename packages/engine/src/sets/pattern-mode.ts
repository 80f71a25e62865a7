import {
  type Exists,
  nodesOf,
  type PatternPlan,
  type PlanCondition,
  type SetQuery,
} from '@fuzzqe/core/query';
import {
  type ArrayPool,
  answerPattern,
  type GivenMembers,
  isExact,
  type PatternLimits,
  type PatternTuples,
  recordedState,
  type SetsState,
  tupleKey,
} from '@fuzzqe/core/sets';

/** A set that a condition of a pattern gives. */
export interface GivenSet extends GivenMembers {
  readonly name: string;
}

/** Which tuples of a pattern are wanted. */
export interface PatternSearch {
  readonly plan: PatternPlan;
  /** How many tuples, at least 1. */
  readonly k: number;
  /** How many links are computed at most. */
  readonly links: number;
  /** How ∃ joins assignments, for a plan that was made so. Default `max`. */
  readonly exists?: Exists | undefined;
  /** How many entities are tried for a variable at most. */
  readonly width: number;
  /** The lowest degree of a tuple that the facts do not give, in [0, 1]; of 0 every degree above 0. */
  readonly least: number;
  /** What has at least this degree comes before what the facts give, in [0, 1]. */
  readonly answersFrom: number;
  /** What to leave out: the tuples that the recorded facts give, or nothing. Default `none`. */
  readonly exclude?: 'known' | 'none' | undefined;
  /** The sets that the plan names. Default: no set. */
  readonly given?: readonly GivenSet[] | undefined;
  /** Up to which number recorded tuples are counted. Default: they are not counted. */
  readonly count?: number | undefined;
}

/** The best tuples of a pattern. Shapes: n ≤ k tuples. */
export interface FoundPattern {
  /** The entities of the answer variables [n, answers]; first what has `answersFrom`, then what the facts give, then the others, each best first. */
  readonly tuples: Int32Array;
  /** [n] in (0, 1]. */
  readonly degrees: Float32Array;
  /** [n], 1 for what the recorded facts give by themselves, else 0. */
  readonly known: Uint8Array;
  /** The entities of every step in the best assignment of each tuple [n, steps]. */
  readonly assignments: Int32Array;
  /** The highest degree of a tuple that was not looked at, 0 where every better tuple was. */
  readonly unseen: number;
  /** How many links were computed. */
  readonly links: number;
  /** How many tuples the facts give, at most `count`; undefined if no count was asked for. */
  readonly recorded?: number;
  /** Whether the facts may give more tuples than were counted. */
  readonly atLeast?: boolean;
}

/** Answers patterns by fuzzy sets; `check` is called between rounds of work. */
export type PatternMode = (search: PatternSearch, check: () => void) => Promise<FoundPattern>;

/** How many recorded tuples are left out at most, where recorded tuples are to be left out. */
const mostLeftOut = 10_000;

/** How many links of recorded facts are read at most for each link that may be computed: reading costs far less. */
export const recordedPerLink = 8;

/** A tuple under way to the result. */
interface Row {
  readonly tuple: Int32Array;
  readonly assignment: Int32Array;
  readonly degree: number;
  readonly known: boolean;
}

/** The pattern mode of a graph. */
export function createPatternMode(state: SetsState, pool: ArrayPool): PatternMode {
  return ({ plan, k, links, width, exists, least, answersFrom, exclude, given, count }, check) =>
    pool.during(async (arrays) => {
      const sets = given === undefined ? undefined : new Map(given.map((each) => [each.name, each]));
      const fuzzy: SetsState = { ...state, arrays, given: sets };
      const crisp = recordedState(state.facts, fuzzy);
      const recorded = (most: number, more: Partial<PatternLimits> = {}): Promise<PatternTuples> =>
        answerPattern(crisp, plan, {
          ...{ k: most, links: recordedPerLink * links, width: state.facts.entityCount, predicted: 0, check },
          ...more,
        });
      // A tuple of exactly the least degree is wanted.
      const above = Math.max(0, Math.fround(least) - 1e-7);
      const leavesOut = exclude === 'known';
      // Of such a pattern, no other tuple than a recorded tuple has degree 1, and every recorded tuple has.
      const isSure = isPositive(plan, given) && state.facts.confidences === undefined && exists !== 'or';
      const most = leavesOut ? mostLeftOut : k;
      const facts = isSure && !leavesOut ? undefined : await recorded(most);
      const factKeys = facts === undefined ? new Set<string>() : keysOf(facts, plan);
      const mayBeMore = facts !== undefined && isCut(facts, most);
      const isRecorded = async (tuple: Int32Array): Promise<boolean> =>
        factKeys.has(tupleKey(tuple)) ||
        (mayBeMore && (await recorded(1, { fixed: tuple })).degrees.length > 0);
      const excluded = leavesOut ? factKeys : undefined;
      const found = await answerPattern(fuzzy, plan, { k, links, width, exists, above, excluded, check });
      let spent = found.links;
      const rows: Row[] = [];
      for (const row of rowsOf(found, plan)) {
        const known = facts === undefined ? row.degree === 1 : await isRecorded(row.tuple);
        if (!(known && leavesOut)) rows.push({ ...row, known });
      }
      const listed = keysOf(found, plan);
      for (const { tuple } of facts === undefined || leavesOut ? [] : rowsOf(facts, plan)) {
        if (listed.has(tupleKey(tuple))) continue;
        const one = await answerPattern(fuzzy, plan, { k: 1, links, width, exists, fixed: tuple, check });
        spent += one.links;
        for (const row of rowsOf(one, plan)) rows.push({ ...row, known: true });
      }
      // A search of facts that was not cut has found them all.
      const areAll = facts !== undefined && !mayBeMore && facts.degrees.length < (count ?? 0);
      const counted = count === undefined ? undefined : areAll ? facts : await recorded(count);
      return {
        ...joined(ranked(rows, answersFrom).slice(0, k)),
        unseen: found.unseen,
        links: spent,
        ...(counted === undefined
          ? {}
          : { recorded: counted.degrees.length, atLeast: isCut(counted, count!) }),
      };
    });
}

/** Whether there may be more tuples than were found. */
function isCut(found: PatternTuples, most: number): boolean {
  return found.degrees.length === most || !isExact(found);
}

function rowsOf(
  { tuples, assignments, degrees }: PatternTuples,
  { answers, steps }: PatternPlan,
): Omit<Row, 'known'>[] {
  return Array.from(degrees, (degree, i) => ({
    tuple: tuples.subarray(i * answers.length, (i + 1) * answers.length),
    assignment: assignments.subarray(i * steps.length, (i + 1) * steps.length),
    degree,
  }));
}

function keysOf(found: PatternTuples, plan: PatternPlan): Set<string> {
  return new Set(rowsOf(found, plan).map(({ tuple }) => tupleKey(tuple)));
}

/** What has at least a degree, then what the facts give, then the others; each best first. */
function ranked(rows: readonly Row[], answersFrom: number): Row[] {
  const from = Math.fround(answersFrom);
  const classOf = ({ degree, known }: Row): number => (degree >= from ? 0 : known ? 1 : 2);
  // The order of equal degrees is that of the search.
  return [...rows].sort((a, b) => classOf(a) - classOf(b) || b.degree - a.degree);
}

function joined(rows: readonly Row[]): Pick<FoundPattern, 'tuples' | 'assignments' | 'degrees' | 'known'> {
  return {
    tuples: Int32Array.from(rows.flatMap(({ tuple }) => [...tuple])),
    assignments: Int32Array.from(rows.flatMap(({ assignment }) => [...assignment])),
    degrees: Float32Array.from(rows, ({ degree }) => degree),
    known: Uint8Array.from(rows, ({ known }) => (known ? 1 : 0)),
  };
}

/** Whether entities belong to a set or not, without degrees between. */
const isCrisp = ({ degrees }: GivenSet): boolean => degrees.every((degree) => degree === 1);

/** Whether no condition is negated, and no set is given with degrees of its own. */
export function isPositive({ steps }: PatternPlan, given: readonly GivenSet[] = []): boolean {
  const crisp = new Set(given.filter(isCrisp).map(({ name }) => name));
  const isPositiveSet = (set: SetQuery): boolean =>
    nodesOf(set).every((node) => node.op !== 'not' && (node.op !== 'given' || crisp.has(node.name)));
  const isPositiveCondition = (condition: PlanCondition): boolean =>
    nodesOf(condition).every(
      (node) => node.op !== 'not' && (node.op !== 'member' || isPositiveSet(node.query)),
    );
  return steps.every(
    ({ set, conditions }) =>
      (set === undefined || isPositiveSet(set)) && conditions.every(isPositiveCondition),
  );
}
