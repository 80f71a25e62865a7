import type { SetsAnswer } from '@fuzzqe/engine';

/** A form of the answers, by the ending of its file. */
type AnswerFile = 'csv' | 'json' | 'txt';

/** Answers and suggestions in their order: CSV by RFC 4180 with a header, JSON as an array, or a line of text each. */
export function writeAnswers({ answers, suggestions }: SetsAnswer, form: AnswerFile): string {
  const rows = [
    ...answers.map((each) => ({ ...each, kind: 'answer' })),
    ...suggestions.map((each) => ({ ...each, kind: 'suggestion' })),
  ].map(({ kind, key, label, degree, state }) => ({ kind, key, label, degree, state }));
  if (form === 'txt')
    return rows.map(({ kind, label, degree }) => `${degree.toFixed(3)} ${label} (${kind})\n`).join('');
  return form === 'json'
    ? `${JSON.stringify(rows, null, 2)}\n`
    : writeCsv(['kind', 'key', 'label', 'degree', 'state'], rows.map(Object.values));
}

/** CSV by RFC 4180 with a header. */
export function writeCsv(header: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  return [header, ...rows].map((cells) => `${cells.map(csvCell).join(',')}\r\n`).join('');
}

/** Spreadsheets run cells that begin with a sign of a formula: an apostrophe makes them text. */
function csvCell(value: string | number): string {
  if (typeof value === 'number') return `${value}`;
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
