import { shortPageStyle } from './short-page-style.ts';

/** The style of a page of sections, tables and blocks of code: `shortPageStyle` and theirs. */
export const pageStyle: string = `${shortPageStyle}h2{margin:var(--space-6) 0 var(--space-2);font-size:1.1rem;font-weight:650}
pre{margin:var(--space-2) 0;padding:var(--space-3);border:1px solid var(--line);border-radius:var(--radius-small);background:var(--surface);
white-space:pre-wrap;overflow-wrap:anywhere}
table{border-collapse:collapse;font-variant-numeric:tabular-nums}th,td{text-align:left;vertical-align:top}
`;
