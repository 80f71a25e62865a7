import { type PatternAnswer, type PatternRow, setWords } from '@fuzzqe/engine';
import type { JSX } from 'preact';
import { useId, useState } from 'preact/hooks';
import { answerGroups } from '../../ask/answer-groups.ts';
import { stateMeanings, stateWords } from '../../ask/state-words.ts';
import { assignmentOf, conditionParts } from '../../pattern/condition-parts.ts';
import { sortedBy, type TableSort } from '../../pattern/sort-table.ts';
import { DegreeBar } from '../answers/degree-bar.tsx';
import { SupportLinks } from '../answers/support-links.tsx';

/** Answers and suggestions, with a column for each answer variable; the head of a column sorts by it. */
export function AnswerTable({
  answer,
  sort,
  onSort,
}: {
  readonly answer: PatternAnswer;
  readonly sort: TableSort;
  readonly onSort: (sort: TableSort) => void;
}): JSX.Element {
  const { columns, rows, suggestions } = answer;
  const head = (title: string, by: TableSort['by']): JSX.Element => {
    const order = sort.isDescending ? 'descending' : 'ascending';
    return (
      <th key={by} scope="col" aria-sort={sort.by === by ? order : 'none'}>
        <button type="button" class="sort-column" onClick={() => onSort(sortedBy(by, sort))}>
          {title}
        </button>
      </th>
    );
  };
  return (
    // Where it scrolls, keys have to scroll it.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: as above.
    <section class="table-place" aria-label="Table of answers" tabIndex={0}>
      <table class="table">
        <thead>
          <tr>
            <th class="narrow" scope="col">
              Why
            </th>
            {columns.map((name, i) => head(`?${name}`, i))}
            {head('Degree', 'degree')}
          </tr>
        </thead>
        {answerGroups(rows, suggestions).map(({ title, note, answers }) => (
          <tbody key={title}>
            <tr>
              <th class="group" scope="rowgroup" colSpan={columns.length + 2}>
                {title} <span class="soft small">{note}</span>
              </th>
            </tr>
            {answers.map((row) => (
              <Row key={row.entities.map(({ id }) => id).join(' ')} row={row} columns={columns} />
            ))}
          </tbody>
        ))}
      </table>
    </section>
  );
}

function Row({
  row,
  columns,
}: {
  readonly row: PatternRow;
  readonly columns: readonly string[];
}): JSX.Element {
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  const { entities, state, degree } = row;
  const words = stateWords[state];
  return (
    <>
      <tr class="answer-row">
        <td class="narrow">
          <span
            class={`mark ${state}`}
            role="img"
            aria-label={words}
            title={`${words}: ${stateMeanings[state]}`}
          />
          <button
            type="button"
            class="open-row"
            aria-expanded={isOpen}
            aria-controls={id}
            aria-label={`Why ${entities.map(({ label }) => label).join(', ')}`}
            onClick={() => setOpen(!isOpen)}
          />
        </td>
        {entities.map(({ key, label }, i) => (
          <td key={columns[i]} title={key === label ? undefined : key}>
            <bdi>{label}</bdi>
          </td>
        ))}
        <td class="narrow">
          <DegreeBar degree={degree} kind={state} />
        </td>
      </tr>
      <tr id={id} hidden={!isOpen}>
        <td class="why-cell" colSpan={columns.length + 2}>
          <Why row={row} columns={columns} />
        </td>
      </tr>
    </>
  );
}

/** Why a row answers: the values of all variables, how far each condition holds, and the links. */
export function Why({
  row,
  columns,
}: {
  readonly row: PatternRow;
  readonly columns: readonly string[];
}): JSX.Element {
  const { state, because = [], sets = [] } = row;
  const values = [...assignmentOf(row, columns)].map(([name, { label }]) => `?${name} = ${label}`);
  const parts = conditionParts(row, columns);
  const links = because.flatMap((each) => each.links);
  return (
    <div class="why">
      <p class="soft small">
        {stateWords[state]}: {stateMeanings[state]}
      </p>
      {values.length === 0 ? null : <p class="small">With {values.join(', ')}</p>}
      {parts.length + sets.length === 0 ? null : (
        <>
          <h3>How far it fulfils each condition</h3>
          <ul class="operands">
            {parts.map(({ words, degree, kind }) => (
              <li key={words} class="operand">
                <span class="operand-name">{words}</span>
                <DegreeBar degree={degree} kind={kind} />
              </li>
            ))}
            {sets.map(setWords).map((words) => (
              <li key={words} class="operand">
                <span class="operand-name">{words}</span>
              </li>
            ))}
          </ul>
        </>
      )}
      {links.length === 0 ? (
        <p class="soft small">No single link supports this answer.</p>
      ) : (
        <>
          <h3>Links that support it</h3>
          <SupportLinks links={links} />
        </>
      )}
    </div>
  );
}
