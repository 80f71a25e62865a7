import type { RelationId } from '@fuzzqe/core';
import type { NextRelations } from '@fuzzqe/engine';
import type { JSX } from 'preact';
import { useCallback, useEffect, useMemo } from 'preact/hooks';
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
  const following = useMemo(() => askOnce(of, state), [of, state]);
  useEffect(() => () => following.giveUp(), [following]);
  const find = useCallback(
    async (text: string): Promise<PickerOptions<RelationId>> => {
      const next = await following.ask();
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
    [following, state],
  );
  return (
    <Picker
      label="Follow a relation"
      placeholder="Type a name, or choose one"
      find={find}
      onPick={onPick}
      opensAtOnce
      focus
    />
  );
}

/** Asks which relations follow a part, once for all that is typed; again where that failed. */
function askOnce(
  of: Question,
  state: PageState,
): { readonly ask: () => Promise<NextRelations | undefined>; readonly giveUp: () => void } {
  const query = toQuery(of);
  const controller = new AbortController();
  let answer: Promise<NextRelations | undefined> | undefined;
  const ask = async (): Promise<NextRelations | undefined> => {
    if (query === undefined) return undefined;
    answer ??= state.nameSource().following(query, controller.signal);
    try {
      return await answer;
    } catch (error) {
      answer = undefined;
      throw error;
    }
  };
  return { ask, giveUp: () => controller.abort() };
}

function countOf(of: number, answers: number, facts: number): string {
  if (facts === 0) return 'no fact';
  const count = facts === 1 ? '1 fact' : `${facts} facts`;
  return of === 1 ? count : `${answers} of ${of} · ${count}`;
}
