import type { AnswerLink, NamedDerivation, SetsAnswer } from '@fuzzqe/engine';
import type { FoundNames, NamedEntity } from '../question/names.ts';

/** Every entity and relation that an answer names; those of the question are among them, also where they speak against an answer. */
export function namesInAnswer({ answers, suggestions, parts = [] }: SetsAnswer): FoundNames {
  const entities: NamedEntity[] = [];
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
  for (const answer of [...answers, ...suggestions]) {
    entities.push(answer);
    if (answer.derivation !== undefined) visit(answer.derivation);
    for (const { head, relation, tail } of answer.links ?? []) {
      entities.push(head, tail);
      relations.push(relation);
    }
  }
  for (const { best } of parts) entities.push(...best);
  return { entities, relations };
}
