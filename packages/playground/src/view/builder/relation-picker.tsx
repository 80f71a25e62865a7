import type { RelationId } from '@fuzzqe/core';
import type { NextRelations } from '@fuzzqe/engine';
import type { JSX } from 'preact';
import { useCallback, useEffect, useMemo, useState } from 'preact/hooks';
import { listedChoices, relationChoices } from '../../question/following.ts';
import type { Question } from '../../question/question.ts';
import { toQuery } from '../../question/to-query.ts';
import type { PageState } from '../page-state.ts';
import { Picker, type PickerOptions } from './picker.tsx';

/** How many relations a list shows, of those that lead on and of the others. */
const most = 40;

/** A field in which a relation is found that leads on from a part: those by which facts do, counted; the others on request or by name. */
export function RelationPicker({
  state,
  of,
  onPick,
  label = 'Follow a relation',
}: {
  readonly state: PageState;
  readonly of: Question;
  readonly onPick: (relation: RelationId) => void;
  readonly label?: string;
}): JSX.Element {
  const following = useMemo(() => askOnce(of, state), [of, state]);
  useEffect(() => () => following.giveUp(), [following]);
  const [widened, setWidened] = useState<Question>();
  const withOthers = widened === of;
  const find = useCallback(
    async (text: string): Promise<PickerOptions<RelationId>> => {
      const next = await following.ask();
      const choices = relationChoices(state.names.relations, next);
      const { listed, hidden, more } = listedChoices(choices, { text, withOthers, most });
      return {
        more,
        none: text === '' ? 'No recorded fact leads on from here.' : undefined,
        options: listed.map(({ relation, answers, facts }) => ({
          value: relation,
          label: state.relationLabel(relation),
          ...(next === undefined ? {} : { detail: countOf(next.answers, answers, facts) }),
        })),
        widen:
          hidden === 0
            ? undefined
            : {
                label: hidden === 1 ? 'Show the other one' : `Show the ${hidden} others`,
                detail: 'no fact, the model may predict some',
                onWiden: () => setWidened(of),
              },
      };
    },
    [following, state, of, withOthers],
  );
  return (
    <Picker
      label={label}
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
