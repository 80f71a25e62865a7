import type { Condition, Exists, Pattern, Query, Term } from '../query/index.ts';
import { type PlainState, plainAnswer, plainOperators } from './plain-sets.ts';

/** What plain loops answer patterns from. */
export interface PlainPatternState extends PlainState {
  /** The sets that conditions name. Shapes: [|E|] each. */
  readonly given?: Readonly<Record<string, readonly number[]>>;
}

/**
 * The degree of every tuple of a pattern, by its definition: all assignments, one after the other, in double precision.
 *
 * Keys are the ids of a tuple with spaces between. Trees in conditions are answered by `plainAnswer`.
 */
export function plainPattern(
  state: PlainPatternState,
  pattern: Pattern,
  exists: Exists = 'max',
): Map<string, number> {
  const { entityCount } = state.facts;
  const [both, either] = plainOperators[state.logic];
  const scopes = scopesOf(pattern);
  const sets = new Map<Condition, readonly number[]>();
  const entityOf = (term: Term, values: readonly number[]): number =>
    'entity' in term ? term.entity : values[term.variable]!;

  /** The values of a function over all entities of some variables, joined; by the maximum unless told. */
  const highest = (
    variables: readonly number[],
    values: number[],
    of: () => number,
    join: (a: number, b: number) => number = Math.max,
  ): number => {
    const [variable, ...others] = variables;
    if (variable === undefined) return of();
    let best = 0;
    for (let id = 0; id < entityCount; id += 1) {
      values[variable] = id;
      best = join(best, highest(others, values, of, join));
    }
    return best;
  };
  const degree = (node: Condition, values: number[]): number => {
    switch (node.op) {
      case 'link': {
        const [from, to] = [entityOf(node.from, values), entityOf(node.to, values)];
        return state.links.degree(from, node.relation, to);
      }
      case 'same':
        return entityOf(node.left, values) === entityOf(node.right, values) ? 1 : 0;
      case 'member': {
        const { query } = node;
        const set =
          sets.get(node) ??
          (query.op === 'given' ? state.given![query.name]! : plainAnswer(state, query as Query));
        sets.set(node, set);
        return set[values[node.variable]!]!;
      }
      case 'not':
        return 1 - highest(scopes.get(node) ?? [], values, () => degree(node.operand, values));
      default:
        return node.operands
          .map((operand) => degree(operand, values))
          .reduce((a, b) => (node.op === 'and' ? both : either)(a, b));
    }
  };
  const found = new Map<string, number>();
  const values = pattern.variables.map(() => 0);
  const outer = scopes.get(undefined)!;
  const visit = (at: number): void => {
    if (at < pattern.answers.length) {
      for (let id = 0; id < entityCount; id += 1) {
        values[pattern.answers[at]!] = id;
        visit(at + 1);
      }
      return;
    }
    const best = highest(
      outer,
      values,
      () => degree(pattern.where, values),
      exists === 'or' ? either : Math.max,
    );
    if (best > 0) found.set(pattern.answers.map((variable) => values[variable]!).join(' '), best);
  };
  visit(0);
  return found;
}

/** The variables that each `not` binds, and the variables that are bound outside (undefined); no ∃ binds answer variables. */
function scopesOf({ variables, answers, where }: Pattern): Map<Condition | undefined, number[]> {
  const scopes = new Map<Condition | undefined, number[]>([[undefined, []]]);
  variables.forEach((_, variable) => {
    if (answers.includes(variable)) return;
    let scope: Condition | undefined;
    for (let within: Condition | undefined = where; within !== undefined; ) {
      const [next, ...others] = holdersOf(within, variable);
      if (next === undefined || others.length > 0) break;
      if (within.op === 'not') scope = within;
      within = next;
    }
    const known = scopes.get(scope);
    if (known === undefined) scopes.set(scope, [variable]);
    else known.push(variable);
  });
  return scopes;
}

/** The parts of a condition that mention a variable. */
function holdersOf(condition: Condition, variable: number): Condition[] {
  const parts =
    condition.op === 'not' ? [condition.operand] : 'operands' in condition ? condition.operands : [];
  return parts.filter(
    (part) => JSON.stringify(part).includes(`"variable":${variable}}`) || isMember(part, variable),
  );
}

function isMember(condition: Condition, variable: number): boolean {
  return JSON.stringify(condition).includes(`"op":"member","variable":${variable},`);
}
