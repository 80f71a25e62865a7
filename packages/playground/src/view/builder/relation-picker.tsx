import { inverseOf, type RelationId } from '@fuzzqe/core';
import type { JSX } from 'preact';
import { useCallback } from 'preact/hooks';
import type { Question } from '../../question/question.ts';
import { toQuery } from '../../question/to-query.ts';
import type { PageState } from '../page-state.ts';
import { Picker, type PickerOption, type PickerOptions } from './picker.tsx';

/** A field in which a relation is found that leads on from a part: those of its best entities, counted, or any where it is open. */
export function RelationPicker({
  state,
  of,
  onPick,
}: {
  readonly state: PageState;
  readonly of: Question;
  readonly onPick: (relation: RelationId) => void;
}): JSX.Element {
  const find = useCallback(
    async (text: string, signal: AbortSignal): Promise<PickerOptions<RelationId>> => {
      const all = await relationsAfter(of, state, signal);
      const lower = text.toLowerCase();
      return { more: 0, options: all.filter(({ label }) => label.toLowerCase().includes(lower)) };
    },
    [of, state],
  );
  return (
    <Picker
      label="Follow a relation"
      placeholder="Type a name, or choose with the arrows"
      find={find}
      onPick={onPick}
      opensAtOnce
      focus
    />
  );
}

async function relationsAfter(
  of: Question,
  state: PageState,
  signal: AbortSignal,
): Promise<readonly PickerOption<RelationId>[]> {
  const query = toQuery(of);
  if (query === undefined)
    return state.names.relations.flatMap(({ id }) =>
      [id, inverseOf(id)].map((relation) => ({ value: relation, label: state.relationLabel(relation) })),
    );
  const { answers, results } = await state.nameSource().following(query, signal);
  return results.map(({ relation: { id }, answers: leaving, facts }) => {
    const count = facts === 1 ? '1 fact' : `${facts} facts`;
    const detail = answers === 1 ? count : `${leaving} of ${answers} · ${count}`;
    return { value: id, label: state.relationLabel(id), detail };
  });
}
