import type { PatternAnswer } from '@fuzzqe/engine';
import type { FoundNames } from '../question/names.ts';

/** Every entity and relation that a table and its explanations name. */
export function namesInTable({ rows, suggestions }: PatternAnswer): FoundNames {
  const all = [...rows, ...suggestions];
  const links = all.flatMap(({ because = [] }) => because.flatMap((each) => each.links));
  return {
    entities: [
      ...all.flatMap(({ entities, others }) => [...entities, ...Object.values(others)]),
      ...links.flatMap(({ head, tail }) => [head, tail]),
    ],
    relations: links.map(({ relation }) => relation),
  };
}
