import { nodesOf } from '@fuzzqe/core/query';
import type { AnswerLink, NamedSupport, PatternAnswer, SetsAnswer } from '@fuzzqe/engine';
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
  for (const { derivation, links = [] } of support) {
    for (const step of derivation === undefined ? [] : nodesOf(derivation)) {
      entities.push(step.entity);
      if (step.op !== 'project' || step.link === undefined) continue;
      entities.push(step.link.head);
      relations.push(step.link.relation);
    }
    for (const { head, relation, tail } of links) {
      entities.push(head, tail);
      relations.push(relation);
    }
  }
  return { entities, relations };
}
