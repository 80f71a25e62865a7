import type { SetsAnswerEntity } from '@fuzzqe/engine';
import type { JSX } from 'preact';
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
        const opened =
          state.isWelcome && !state.canUndo.value
            ? (answerGroups(answers)[1][0] ?? suggestions[0])?.id
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
            ) : (
              <Groups rows={answers} state={state} opened={opened} />
            )}
            {suggestions.length === 0 ? null : (
              <>
                <h3 class="group">
                  Suggestions <span class="soft small">below the degree of an answer: check them</span>
                </h3>
                <Rows title="Suggestions, best first" rows={suggestions} state={state} opened={opened} />
              </>
            )}
          </>
        );
        return { count, take, content };
      }}
    />
  );
}

/** Answers by recorded facts, and answers that the model predicts, each group best first. */
function Groups({
  rows,
  state,
  opened,
}: {
  readonly rows: readonly SetsAnswerEntity[];
  readonly state: PageState;
  readonly opened: number | undefined;
}): JSX.Element {
  const [recorded, predicted] = answerGroups(rows);
  return (
    <>
      {recorded.length === 0 ? null : (
        <>
          <h3 class="group">
            Recorded <span class="soft small">the facts of the graph give them</span>
          </h3>
          <Rows title="Recorded answers, best first" rows={recorded} state={state} />
        </>
      )}
      {predicted.length === 0 ? null : (
        <>
          <h3 class="group">
            Predicted <span class="soft small">the model expects them, at least in part</span>
          </h3>
          <Rows title="Predicted answers, best first" rows={predicted} state={state} opened={opened} />
        </>
      )}
    </>
  );
}

function Rows({
  title,
  rows,
  state,
  opened,
}: {
  readonly title: string;
  readonly rows: readonly SetsAnswerEntity[];
  readonly state: PageState;
  readonly opened?: number | undefined;
}): JSX.Element {
  return (
    <ol aria-label={title}>
      {rows.map((answer) => (
        <AnswerRow key={answer.id} answer={answer} state={state} isOpen={answer.id === opened} />
      ))}
    </ol>
  );
}
