/** Text as it may stand in HTML, in an attribute, too. */
export function escapeHtml(text: string): string {
  const entities: Readonly<Record<string, string>> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
  };
  return text.replaceAll(/[&<>"]/g, (found) => entities[found]!);
}

/** A table of names and values. */
export function definitionTable(rows: readonly (readonly [string, string])[]): string {
  const cells = rows.map(
    ([name, value]) => `<tr><th scope="row">${escapeHtml(name)}</th><td>${escapeHtml(value)}</td></tr>`,
  );
  return `<table class="facts">${cells.join('')}</table>`;
}
