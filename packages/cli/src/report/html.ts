import { html } from 'hono/html';
import type { HtmlEscapedString } from 'hono/utils/html';

/** Text that is escaped where it has to be. */
export type Html = HtmlEscapedString | Promise<HtmlEscapedString>;

/** A table of names and values. */
export function definitionTable(rows: readonly (readonly [string, string])[]): Html {
  return html`<table class="facts">${rows.map(
    ([name, value]) => html`<tr><th scope="row">${name}</th><td>${value}</td></tr>`,
  )}</table>`;
}
