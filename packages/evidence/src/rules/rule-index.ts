import { compareRules, confidenceOf, type RuleSet } from './rule-set.ts';

/**
 * The rules of a set by relation, in arrays for inner loops.
 *
 * Shapes: R relations, P path rules, A attributes (q, d) of constant rules, each once a relation, C constant rules.
 */
export interface RuleIndex {
  readonly set: RuleSet;
  /** [R + 1]: the path rules of relation r are pathOffsets[r] … pathOffsets[r + 1), in the order of `compareRules`. */
  readonly pathOffsets: Int32Array;
  /** [P]: numbers of the rules in `set.rules`. */
  readonly pathRules: Int32Array;
  /** [P]: 1 to 3. */
  readonly pathLengths: Uint8Array;
  /** [3P]: the relations of path rule p begin at 3p. */
  readonly pathRelations: Int32Array;
  /** [P] */
  readonly pathConfidences: Float64Array;
  /** [R + 1]: the attributes of relation r are attributeOffsets[r] … attributeOffsets[r + 1), by q, then d. */
  readonly attributeOffsets: Int32Array;
  /** [A]: q. */
  readonly attributeRelations: Int32Array;
  /** [A]: d. */
  readonly attributeTails: Int32Array;
  /** [A + 1]: the constant rules of attribute a are constantOffsets[a] … constantOffsets[a + 1). */
  readonly constantOffsets: Int32Array;
  /** [C]: numbers of the rules in `set.rules`. */
  readonly constantRules: Int32Array;
  /** [C]: c. */
  readonly constantTails: Int32Array;
  /** [C] */
  readonly constantConfidences: Float64Array;
}

/**
 * Indexes rules for `applyRules`. The order of the rules in the set changes nothing. Time O(n log n).
 *
 * @example
 * const rules = createRuleIndex(readRules(text, graph));
 */
export function createRuleIndex(set: RuleSet): RuleIndex {
  const { relationCount, rules } = set;
  const order = Array.from(rules.keys()).sort((a, b) => compareRules(rules[a]!, rules[b]!));
  const paths: number[] = [];
  const constants: number[] = [];
  for (const number of order) (rules[number]!.kind === 'path' ? paths : constants).push(number);
  return { set, ...indexPaths(set, paths), ...indexConstants(set, constants, relationCount) };
}

type PathArrays = Pick<
  RuleIndex,
  'pathOffsets' | 'pathRules' | 'pathLengths' | 'pathRelations' | 'pathConfidences'
>;

function indexPaths({ relationCount, rules }: RuleSet, ordered: readonly number[]): PathArrays {
  const count = ordered.length;
  const pathOffsets = new Int32Array(relationCount + 1);
  const pathLengths = new Uint8Array(count);
  const pathRelations = new Int32Array(3 * count);
  const pathConfidences = new Float64Array(count);
  ordered.forEach((number, at) => {
    const rule = rules[number]!;
    if (rule.kind !== 'path') return;
    pathOffsets[rule.relation + 1]!++;
    pathLengths[at] = rule.path.length;
    pathRelations.set(rule.path, 3 * at);
    pathConfidences[at] = confidenceOf(rule);
  });
  addUp(pathOffsets);
  return { pathOffsets, pathRules: Int32Array.from(ordered), pathLengths, pathRelations, pathConfidences };
}

type ConstantArrays = Pick<
  RuleIndex,
  | 'attributeOffsets'
  | 'attributeRelations'
  | 'attributeTails'
  | 'constantOffsets'
  | 'constantRules'
  | 'constantTails'
  | 'constantConfidences'
>;

function indexConstants(
  { rules }: RuleSet,
  constants: readonly number[],
  relationCount: number,
): ConstantArrays {
  const ordered = constants
    .flatMap((number) => {
      const rule = rules[number]!;
      return rule.kind === 'constant' ? [{ number, rule }] : [];
    })
    .sort(
      ({ rule: a }, { rule: b }) =>
        a.relation - b.relation || a.body.relation - b.body.relation || a.body.tail - b.body.tail,
    );
  const attributeOffsets = new Int32Array(relationCount + 1);
  const attributeRelations: number[] = [];
  const attributeTails: number[] = [];
  const constantOffsets: number[] = [];
  let last = -1;
  ordered.forEach(({ rule: { relation, body } }, at) => {
    const top = attributeTails.length - 1;
    const isKnown =
      relation === last && attributeRelations[top] === body.relation && attributeTails[top] === body.tail;
    if (isKnown) return;
    last = relation;
    attributeOffsets[relation + 1]!++;
    attributeRelations.push(body.relation);
    attributeTails.push(body.tail);
    constantOffsets.push(at);
  });
  constantOffsets.push(ordered.length);
  addUp(attributeOffsets);
  return {
    attributeOffsets,
    attributeRelations: Int32Array.from(attributeRelations),
    attributeTails: Int32Array.from(attributeTails),
    constantOffsets: Int32Array.from(constantOffsets),
    constantRules: Int32Array.from(ordered, ({ number }) => number),
    constantTails: Int32Array.from(ordered, ({ rule }) => rule.tail),
    constantConfidences: Float64Array.from(ordered, ({ rule }) => confidenceOf(rule)),
  };
}

function addUp(offsets: Int32Array): void {
  for (let i = 1; i < offsets.length; i++) offsets[i]! += offsets[i - 1]!;
}
