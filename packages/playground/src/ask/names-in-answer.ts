import type { AnswerLink, NamedDerivation, NamedSupport, PatternAnswer, SetsAnswer } from '@fuzzqe/engine';
import type { FoundNames, NamedEntity } from '../question/names.ts';

/** Every entity and relation that an answer names; those of the question are among them, also where they speak against an answer. */
export function namesInAnswer({ answers, suggestions, parts = [] }: SetsAnswer): FoundNames {
  const listed = [...answers, ...suggestions];
  return namesIn([...listed, ...parts.flatMap(({ best }) => best)], listed);
}

/** Every entity and relation that a table and its explanations name. */
export function namesInTable({ rows, suggestions }: PatternAnswer): FoundNames {
  const listed = [...rows, ...suggestions];
  const entities = listed.flatMap(({ entities: own, others }) => [...own, ...Object.values(others)]);
  return namesIn(
    entities,
    listed.flatMap(({ because = [] }) => because),
  );
}

function namesIn(listed: readonly NamedEntity[], support: readonly Partial<NamedSupport>[]): FoundNames {
  const entities = [...listed];
  const relations: AnswerLink['relation'][] = [];
  const visit = (step: NamedDerivation): void => {
    entities.push(step.entity);
    if (step.op === 'and' || step.op === 'or') step.operands.forEach(visit);
    if (step.op === 'not') visit(step.operand);
    if (step.op !== 'project') return;
    if (step.link !== undefined) {
      entities.push(step.link.head);
      relations.push(step.link.relation);
    }
    if (step.from !== undefined) visit(step.from);
  };
  for (const { derivation, links = [] } of support) {
    if (derivation !== undefined) visit(derivation);
    for (const { head, relation, tail } of links) {
      entities.push(head, tail);
      relations.push(relation);
    }
  }
  return { entities, relations };
}
