import type { PatternAnswer } from '@fuzzqe/engine';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { bestFirst, sortTable } from '../../pattern/sort-table.ts';
import { countSentence, exactSentence, yesOrNo } from '../../pattern/table-words.ts';
import { writeTable } from '../../pattern/write-table.ts';
import { Toggle } from '../answers/answer-settings.tsx';
import { AnswersCard, type ShownAnswer } from '../answers/answers-card.tsx';
import { TakeAnswers } from '../answers/take-answers.tsx';
import type { PageState } from '../page-state.ts';
import { AnswerTable, Why } from './answer-table.tsx';

/** What a pattern is answered, or why it is not. */
export function PatternAnswers({ state }: { readonly state: PageState }): JSX.Element {
  const { pattern } = state;
  const [sort, setSort] = useState(bestFirst);
  const show = (found: PatternAnswer): ShownAnswer => {
    const { columns, rows, suggestions } = found;
    const isTable = columns.length > 0;
    const count = isTable ? rows.length + suggestions.length : 0;
    const table = sortTable(found, sort);
    const [closed] = isTable ? [] : [...rows, ...suggestions];
    const content = (
      <>
        <p class="none" role="status">
          {isTable ? null : `${yesOrNo(found)} `}
          {isTable && count === 0 ? 'No answers. ' : null}
          <span class="soft small">
            {exactSentence(found, isTable && count >= pattern.k.value)}{' '}
            {isTable ? countSentence(found) : null}
          </span>
        </p>
        {closed?.because?.length ? <Why row={closed} columns={columns} /> : null}
        {count > 0 ? <AnswerTable answer={table} sort={sort} onSort={setSort} /> : null}
      </>
    );
    const take =
      count === 0 ? undefined : (
        <TakeAnswers
          files={{ csv: () => writeTable(table) }}
          copied={() => writeTable(table)}
          copyTitle="Copy as CSV"
        />
      );
    return { content, take, count };
  };
  return (
    <AnswersCard
      state={state}
      asked={pattern}
      controls={<Toggle title="Count" isOn={pattern.counts} />}
      instead={instead(state)}
      show={show}
    />
  );
}

/** What stands in the place of answers while nothing is asked. */
function instead({ pattern }: PageState): JSX.Element | undefined {
  if (!pattern.isAskable.value)
    return (
      <div class="empty">
        <p>{pattern.isOpen.value ? 'A link has no relation yet.' : 'Nothing is asked yet.'}</p>
        <p class="soft small">
          {pattern.isOpen.value
            ? 'Choose the dashed arrow, then its relation.'
            : 'Ask in words, link two variables, or begin with an example.'}
        </p>
      </div>
    );
  if (!pattern.isHeld.value) return undefined;
  return (
    <div class="empty">
      <p>This pattern was written for your question, and is not asked yet.</p>
      <p class="soft small">Check it, change it if it says something else, then ask it.</p>
      <button type="button" class="button primary" onClick={pattern.release}>
        Ask this pattern
      </button>
    </div>
  );
}
