import { Fragment, type JSX } from 'preact';
import { answerGroups } from '../../ask/answer-groups.ts';
import { completeParts } from '../../ask/complete-parts.ts';
import { writeAnswers } from '../../ask/write-answers.ts';
import { toQuery } from '../../question/to-query.ts';
import type { PageState } from '../page-state.ts';
import { AnswerRow } from './answer-row.tsx';
import { AnswersCard } from './answers-card.tsx';
import { TakeAnswers } from './take-answers.tsx';

/** What the question is answered, or why it is not. */
export function Answers({ state }: { readonly state: PageState }): JSX.Element {
  const question = state.question.value;
  const isBegun = completeParts(question).length > 0;
  const isOnlyNew = state.onlyNew.value;
  return (
    <AnswersCard
      state={state}
      asked={state}
      // A server refuses to look for more answers than there are entities.
      most={state.model.entities}
      instead={
        toQuery(question) !== undefined ? undefined : (
          <div class="empty">
            <p>{isBegun ? 'Something in the question is still open.' : 'Nothing is asked yet.'}</p>
            <p class="soft small">
              {isBegun
                ? 'Fill the dashed places of the graph; its parts already show their best entities.'
                : 'Pick an entity, or begin with an example.'}
            </p>
          </div>
        )
      }
      show={(answer) => {
        const { answers, suggestions } = answer;
        // A visitor who asked nothing yet sees at once why the model predicts an entity.
        const groups = answerGroups(answers, suggestions);
        const opened =
          state.isWelcome && !state.canUndo.value
            ? groups.find(({ title }) => title !== 'Recorded')?.answers[0]?.id
            : undefined;
        const count = answers.length + suggestions.length;
        const take = (
          <TakeAnswers
            files={{ csv: () => writeAnswers(answer, 'csv'), json: () => writeAnswers(answer, 'json') }}
            copied={() => writeAnswers(answer, 'txt')}
          />
        );
        if (count === 0)
          return {
            count,
            take,
            content: (
              <div class="empty">
                <p>No answers.</p>
                <p class="soft small">
                  {isOnlyNew
                    ? 'No entity answers this that is not recorded. Those that are recorded are left out.'
                    : 'Nothing is recorded, and the model suggests nothing. Try to leave a part out, or “or” in place of “and”.'}
                </p>
              </div>
            ),
          };
        const content = (
          <>
            {answers.length === 0 ? (
              <p class="soft small none">
                {isOnlyNew
                  ? 'No answers beyond the recorded ones, which are left out.'
                  : 'No answers: nothing is recorded, and nothing is likely enough.'}
              </p>
            ) : null}
            {groups.map((group) => (
              <Fragment key={group.title}>
                <h3 class="group">
                  {group.title} <span class="soft small">{group.note}</span>
                </h3>
                <ol aria-label={`${group.title}, best first`}>
                  {group.answers.map((each) => (
                    <AnswerRow key={each.id} answer={each} state={state} isOpen={each.id === opened} />
                  ))}
                </ol>
              </Fragment>
            ))}
          </>
        );
        return { count, take, content };
      }}
    />
  );
}
