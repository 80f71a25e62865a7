import type { AnswerLink, AnswerState, ConditionSupport, PatternAnswer, PatternRow } from '@fuzzqe/engine';

type Derivation = ConditionSupport['derivation'];

/** How far an answer fulfils a condition of its pattern. */
export interface ConditionPart {
  /** The condition in the variables of the pattern: `?x borders ?y`. */
  readonly words: string;
  /** In [0, 1]. */
  readonly degree: number;
  readonly kind: AnswerState;
}

/** The entities that an answer gives to variables, by their names: those of the columns first. */
export function assignmentOf(
  { entities, others }: PatternRow,
  columns: PatternAnswer['columns'],
): ReadonlyMap<string, PatternRow['entities'][number]> {
  return new Map([...columns.map((name, i) => [name, entities[i]!] as const), ...Object.entries(others)]);
}

/** What the explanation of an answer says of each condition, each once. */
export function conditionParts(row: PatternRow, columns: PatternAnswer['columns']): readonly ConditionPart[] {
  const names = new Map([...assignmentOf(row, columns)].map(([name, { id }]) => [id as number, `?${name}`]));
  const nameOf = ({ id, label }: AnswerLink['head']): string => names.get(id) ?? label;
  const wordsOf = ({ head, relation, tail }: AnswerLink): string =>
    relation.inverse
      ? `${nameOf(tail)} ${relation.label} ${nameOf(head)}`
      : `${nameOf(head)} ${relation.label} ${nameOf(tail)}`;
  const partsOf = (step: Derivation): ConditionPart[] => {
    if (step.op === 'and') return step.operands.flatMap(partsOf);
    if (step.op === 'entity') return [];
    const isNegated = step.op === 'not';
    const links = linksIn(isNegated ? step.operand : step);
    const words = links.map(wordsOf).join(step.op === 'or' ? ' or ' : ', ');
    const { degree } = step;
    if (!isNegated) return [{ words, degree, kind: kindOf(links) }];
    const kind = degree < 1 ? 'doubted' : 'recorded';
    return [
      { words: words === '' ? `nothing excludes ${nameOf(step.entity)}` : `not ${words}`, degree, kind },
    ];
  };
  const parts = (row.because ?? []).flatMap(({ derivation }) => partsOf(derivation));
  return [...new Map(parts.map((part) => [part.words, part])).values()];
}

/** The links of a derivation, in the order in which they lead to its entity. */
function linksIn(step: Derivation): AnswerLink[] {
  switch (step.op) {
    case 'entity':
      return [];
    case 'not':
      return linksIn(step.operand);
    case 'project': {
      const before = step.from === undefined ? [] : linksIn(step.from);
      return step.link === undefined ? before : [...before, { ...step.link, tail: step.entity }];
    }
    default:
      return step.operands.flatMap(linksIn);
  }
}

function kindOf(links: readonly AnswerLink[]): AnswerState {
  const recorded = links.filter((link) => link.recorded).length;
  return recorded === links.length ? 'recorded' : recorded === 0 ? 'predicted' : 'partly';
}
