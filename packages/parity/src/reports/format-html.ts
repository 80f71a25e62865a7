import { pageIcon, pageStyle } from '@fuzzqe/core/text';
import { type AnswerMode, answerModes } from '@fuzzqe/engine';
import { html, raw } from 'hono/html';
import type { HtmlEscapedString } from 'hono/utils/html';
import type { LargestDifference, ModeTally, ParityCell, ParityMatrix } from '../matrix/matrix.ts';
import { describeFailure, describeUndecided, formatGap, formatShare, summaryOf } from './format-text.ts';

/** Text that is escaped where it has to be. */
type Html = HtmlEscapedString | Promise<HtmlEscapedString>;

/** The matrix as one HTML file that needs nothing else. */
export async function formatHtml(matrix: ParityMatrix): Promise<string> {
  const { cells, reference, skipped, undecided, passed, model, bundle, profiles } = matrix;
  const rows = [...reference, ...cells];
  const runtimes = [...new Set(rows.map(({ runtime }) => runtime))];
  const title = `Parity of ${model}`;
  const cellOf = (runtime: string, profile: string): Html => {
    const cell = rows.find((each) => each.runtime === runtime && each.profile === profile);
    return cell === undefined ? html`<td class="none">not compared</td>` : cellHtml(cell);
  };
  const page = await html`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
${raw(pageIcon)}
<style>${raw(pageStyle + style)}</style>
<h1>${title}</h1>
<p class="${passed ? 'good' : 'bad'} verdict">${passed ? 'All runtimes agree' : 'Answers differ'}</p>
<p>${summaryOf(cells)}.</p>
<p>Every cell compares one runtime with the float64 reference: the largest difference of a query’s embedding, of the
scores of its best entities and of the degrees of its fuzzy set, in absolute numbers and beside the largest number of the same vector, and the share of the
tolerance that it uses. The row “reference” is no runtime: it says whether the golden cases follow from the weights.</p>
<p><code>${bundle}</code></p>
<div class="wide"><table>
<tr><th scope="col">Runtime</th>${profiles.map((name) => html`<th scope="col">${name}</th>`)}</tr>
${runtimes.map((runtime) => html`<tr><th scope="row">${runtime}</th>${profiles.map((profile) => cellOf(runtime, profile))}</tr>\n`)}
</table></div>
${undecided.flatMap(describeUndecided).map((line) => html`<p>${line}.</p>`)}
${rows.filter((cell) => !cell.passed).map(failuresHtml)}
${skipped.length === 0 ? '' : html`<h2>Skipped</h2><ul>${skipped.map(({ runtime, reason }) => html`<li><b>${runtime}</b>: ${reason}</li>`)}</ul>`}
</html>
`;
  return page.toString();
}

function cellHtml(cell: ParityCell): Html {
  const { passed, embedding, score, degree, modes, seconds, on } = cell;
  return html`<td class="${passed ? 'good' : 'bad'}"><b>${passed ? 'equal' : 'different'}</b><br>
${gapHtml('embedding', embedding)}<br>${gapHtml('score', score)}<br>${gapHtml('degree', degree)}<br>${formatShare(cell)} of the tolerance<br>
${answerModes.map((mode) => modeHtml(mode, modes[mode]))}
<small>${on}, ${seconds.toFixed(1)} s</small></td>`;
}

function modeHtml(mode: AnswerMode, { sameRanking, compared, beside }: ModeTally): Html {
  const overlap =
    beside === null
      ? ''
      : `, beside fp32: overlap@10 ${beside.overlap10.toFixed(3)}, RBO ${beside.rbo.toFixed(3)}`;
  return html`${mode}: same ranking ${sameRanking} of ${compared}${overlap}<br>`;
}

function gapHtml(what: string, { absolute, relative, where }: LargestDifference): Html {
  return html`<span title="${where}">${what} ${formatGap(absolute)}, relative ${formatGap(relative)}</span>`;
}

function failuresHtml({ runtime, profile, diagnosis, failures }: ParityCell): Html {
  const items = failures.map((failure) => {
    const [what, query = ''] = describeFailure(failure);
    return html`<li>${what}<br><code>${query.trim()}</code></li>\n`;
  });
  return html`<h2>${runtime}, ${profile}</h2>
<ul class="diagnosis">${diagnosis.map((line) => html`<li>${line}</li>`)}</ul>
<details><summary>${failures.length} failed comparisons</summary><ol>${items}</ol></details>`;
}

const style = `body{max-width:75rem}.wide{overflow-x:auto}
th,td{border:1px solid var(--line);padding:var(--space-2) var(--space-3)}
.good{background:var(--accent-soft)}.bad{background:var(--negative-soft)}.none{color:var(--ink-soft)}
td span{white-space:nowrap}.verdict{padding:var(--space-2) var(--space-3);border-radius:var(--radius-small);font-weight:600}
`;
