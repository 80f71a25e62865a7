import type { RelationId } from '@fuzzqe/core';
import type { JSX } from 'preact';
import { useCallback } from 'preact/hooks';
import { matchingChoices, relationChoices } from '../../question/following.ts';
import type { Question } from '../../question/question.ts';
import { toQuery } from '../../question/to-query.ts';
import type { PageState } from '../page-state.ts';
import { Picker, type PickerOptions } from './picker.tsx';

/** How many relations a list shows. */
const shown = 40;

/** A field in which a relation is found that leads on from a part: those first by which facts lead on, counted. */
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
      const query = toQuery(of);
      const next = query === undefined ? undefined : await state.nameSource().following(query, signal);
      const choices = matchingChoices(relationChoices(state.names.relations, next), text);
      return {
        more: Math.max(choices.length - shown, 0),
        options: choices.slice(0, shown).map(({ relation, answers, facts }) => ({
          value: relation,
          label: state.relationLabel(relation),
          ...(next === undefined ? {} : { detail: countOf(next.answers, answers, facts) }),
        })),
      };
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

function countOf(of: number, answers: number, facts: number): string {
  if (facts === 0) return 'no fact';
  const count = facts === 1 ? '1 fact' : `${facts} facts`;
  return of === 1 ? count : `${answers} of ${of} · ${count}`;
}
