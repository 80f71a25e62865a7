import { asEntityId, asRelationId, type Random } from '../index.ts';
import type { Condition, Pattern, Term } from '../query/index.ts';

/** What patterns are drawn from. */
export interface PatternSizes {
  readonly entityCount: number;
  readonly relationCount: number;
  /** How many variables at most. */
  readonly variables: number;
  /** How many atoms at most, without the atoms that connect the variables. */
  readonly atoms: number;
}

/** A pattern whose form comes from chance: links that connect all variables, and more links, ≠, ∨ and ¬ that make cycles. */
export function somePattern(random: Random, sizes: PatternSizes): Pattern {
  const { entityCount, relationCount } = sizes;
  const count = 1 + random.below(sizes.variables);
  const all = Array.from({ length: count }, (_, variable) => variable);
  const relation = () => asRelationId(random.below(relationCount));
  const entity = (): Term => ({ entity: asEntityId(random.below(entityCount)) });
  const some = (): Term => ({ variable: random.below(count) });
  const turned = (from: Term, to: Term): Condition =>
    random.below(2) === 0
      ? { op: 'link', relation: relation(), from, to }
      : { op: 'link', relation: relation(), from: to, to: from };
  const atoms: Condition[] = all.map((variable) => {
    // The first hangs on an entity or on nothing; the others on a variable before.
    if (variable > 0) return turned({ variable: random.below(variable) }, { variable });
    return count > 1 && random.below(2) === 0 ? turned({ variable }, some()) : turned(entity(), { variable });
  });
  let own = 0;
  const more = (): Condition => {
    switch (random.below(9)) {
      case 0:
        return turned(entity(), some());
      case 1:
        return { op: 'not', operand: turned(some(), some()) };
      case 2:
        return { op: 'not', operand: { op: 'same', left: some(), right: some() } };
      case 3:
        return { op: 'or', operands: [turned(some(), some()), turned(some(), entity())] };
      case 4:
        return { op: 'not', operand: turned(entity(), some()) };
      case 5:
        // A variable of the negation alone.
        return { op: 'not', operand: turned(some(), { variable: count + own++ }) };
      default:
        return turned(some(), some());
    }
  };
  for (let i = random.below(sizes.atoms + 1); i > 0; i -= 1) atoms.push(more());
  const answers = all.filter(() => random.below(2) === 0).slice(0, 3);
  return {
    variables: [...all, ...Array.from({ length: own }, (_, i) => count + i)].map(
      (variable) => `v${variable}`,
    ),
    answers: random.below(2) === 0 ? answers : answers.reverse(),
    where: { op: 'and', operands: atoms },
  };
}
