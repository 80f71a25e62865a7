import type { ParityCell, ParityMatrix, Worst } from '../matrix/matrix.ts';
import { describeFailure, formatGap } from './format-text.ts';

/** The matrix as one HTML file that needs nothing else. */
export function formatHtml(matrix: ParityMatrix): string {
  const { cells, skipped, passed, model, bundle } = matrix;
  const profiles = [...new Set(cells.map(({ profile }) => profile))];
  const runtimes = [...new Set(cells.map(({ runtime }) => runtime))];
  const cellOf = (runtime: string, profile: string): string => {
    const cell = cells.find((each) => each.runtime === runtime && each.profile === profile);
    return cell === undefined ? '<td class="none">not compared</td>' : cellHtml(cell);
  };
  const verdict = passed ? 'All runtimes agree' : 'Answers differ';
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(`Parity of ${model}`)}</title>
<style>${style}</style>
<h1>${escapeHtml(`Parity of ${model}`)}</h1>
<p class="${passed ? 'good' : 'bad'} verdict">${verdict}</p>
<p>Every cell compares one runtime with the float64 reference: the largest difference of a query’s embedding and of the
scores of its best entities, in absolute numbers and beside the largest number of the same vector.</p>
<p><code>${escapeHtml(bundle)}</code></p>
<div class="wide"><table>
<tr><th scope="col">Runtime</th>${profiles.map((name) => `<th scope="col">${escapeHtml(name)}</th>`).join('')}</tr>
${runtimes.map((runtime) => `<tr><th scope="row">${escapeHtml(runtime)}</th>${profiles.map((profile) => cellOf(runtime, profile)).join('')}</tr>`).join('\n')}
</table></div>
${cells
  .filter((cell) => !cell.passed)
  .map(failuresHtml)
  .join('\n')}
${skipped.length === 0 ? '' : `<h2>Skipped</h2><ul>${skipped.map(({ runtime, reason }) => `<li><b>${escapeHtml(runtime)}</b>: ${escapeHtml(reason)}</li>`).join('')}</ul>`}
</html>
`;
}

function cellHtml(cell: ParityCell): string {
  const { passed, embedding, score, sameRanking, compared, beside, seconds, on } = cell;
  const lines = [
    gapHtml('embedding', embedding),
    gapHtml('score', score),
    `same ranking ${sameRanking} of ${compared}`,
    ...(beside === null
      ? []
      : [`beside fp32: overlap@10 ${beside.overlap10.toFixed(3)}, RBO ${beside.rbo.toFixed(3)}`]),
    `<small>${escapeHtml(on)}, ${seconds.toFixed(1)} s</small>`,
  ];
  return `<td class="${passed ? 'good' : 'bad'}"><b>${passed ? 'equal' : 'different'}</b><br>${lines.join('<br>')}</td>`;
}

function gapHtml(what: string, { absolute, relative, where }: Worst): string {
  return `<span title="${escapeHtml(where)}">${what} ${formatGap(absolute)}, relative ${formatGap(relative)}</span>`;
}

function failuresHtml({ runtime, profile, diagnosis, failures }: ParityCell): string {
  const items = failures.map((failure) => {
    const [what, query] = describeFailure(failure);
    return `<li>${escapeHtml(what!)}<br><code>${escapeHtml(query!.trim())}</code></li>`;
  });
  return `<h2>${escapeHtml(`${runtime}, ${profile}`)}</h2>
<ul class="diagnosis">${diagnosis.map((line) => `<li>${escapeHtml(line)}</li>`).join('')}</ul>
<details><summary>${failures.length} failed comparisons</summary><ol>${items.join('\n')}</ol></details>`;
}

const style = `
:root { color-scheme: light dark; --good: #e3f4e6; --bad: #fbe0de; --line: #b5b5b5; }
@media (prefers-color-scheme: dark) { :root { --good: #1e3a25; --bad: #4d1f1c; --line: #5c5c5c; } }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 75rem; margin: 2rem auto; padding: 0 1rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { border: 1px solid var(--line); padding: .5rem .75rem; text-align: left; vertical-align: top; }
.good { background: var(--good); } .bad { background: var(--bad); } .none { opacity: .6; }
td span { white-space: nowrap; }
.verdict { padding: .5rem .75rem; font-weight: 600; }
code { overflow-wrap: anywhere; }
`;

function escapeHtml(text: string): string {
  const entities: Readonly<Record<string, string>> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
  };
  return text.replace(/[&<>"]/g, (character) => entities[character]!);
}
