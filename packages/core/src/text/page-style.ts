/**
 * Colours, sizes and faces that all pages of this project share, as custom properties of CSS: light, and dark where the reader's scheme is.
 *
 * Text colours have a contrast of 4.5 or more on `--surface`.
 */
export const pageTokens: string = `:root{color-scheme:light dark;--ink:#1d2024;--ink-soft:#565c64;--ink-faint:#676d76;--paper:#f6f5f2;--surface:#ffffff;
--sunken:#faf9f7;--line:#e2dfd9;--line-strong:#8d8a83;--accent:#1b5e8c;--accent-soft:#e3eef5;--on-accent:#ffffff;--recorded:#1b5e8c;
--recovered:#a35200;--new:#7340b3;--negative:#ae2f2f;--negative-soft:#fbeceb;
--shadow:0 1px 2px rgb(30 25 15 / 6%), 0 4px 16px rgb(30 25 15 / 4%);--radius:10px;--radius-small:6px;
--space-1:4px;--space-2:8px;--space-3:12px;--space-4:16px;--space-5:24px;--space-6:40px;
--font:system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", Arial, sans-serif;
--mono:ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace}
@media (prefers-color-scheme:dark){:root{--ink:#e7e8ea;--ink-soft:#aab0b8;--ink-faint:#949aa3;--paper:#111315;--surface:#191c1f;--sunken:#15181a;
--line:#2b2f34;--line-strong:#727983;--accent:#7fb9e0;--accent-soft:#1c2f3d;--on-accent:#0c1a25;--recorded:#7fb9e0;--recovered:#e7a35a;
--new:#bd9bee;--negative:#f08a82;--negative-soft:#341d1c;--shadow:0 1px 2px rgb(0 0 0 / 40%)}}
`;

/** The style of a page of text, which adds its own behind it; nothing is fetched. */
export const pageStyle: string = `${pageTokens}*{box-sizing:border-box}
body{max-width:60rem;margin:0 auto;padding:var(--space-6) var(--space-5);background:var(--paper);color:var(--ink);font:15px/1.5 var(--font)}
h1{margin:0 0 var(--space-2);font-size:1.45rem;font-weight:650;letter-spacing:-.01em;line-height:1.3}
h2{margin:var(--space-6) 0 var(--space-2);font-size:1.1rem;font-weight:650}
p{margin:var(--space-2) 0}a{color:var(--accent)}.soft{color:var(--ink-soft)}
code,pre{font-family:var(--mono);font-size:.867rem}code{overflow-wrap:anywhere}
pre{margin:var(--space-2) 0;padding:var(--space-3);border:1px solid var(--line);border-radius:var(--radius-small);background:var(--surface);
white-space:pre-wrap;overflow-wrap:anywhere}
.card{padding:var(--space-4);border:1px solid var(--line);border-radius:var(--radius);background:var(--surface);box-shadow:var(--shadow)}
table{border-collapse:collapse;font-variant-numeric:tabular-nums}th,td{text-align:left;vertical-align:top}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
`;

/** The mark of this project, as its pages, its site and its templates show it. */
export const pageMark: string = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><title>FuzzQE</title><rect width="32" height="32" rx="7" fill="#1b5e8c"/><g fill="none" stroke="#fff" stroke-width="2"><path d="M10 9c8 0 5 7 11 7M10 23c8 0 5-7 11-7"/><circle cx="23" cy="16" r="3.5" fill="#1b5e8c"/></g><g fill="#fff"><circle cx="8" cy="9" r="3"/><circle cx="8" cy="23" r="3"/></g></svg>`;

/** The mark as the icon of a page, for its `<head>`; nothing is fetched. */
export const pageIcon: string = `<link rel="icon" href="data:image/svg+xml,${encodeURIComponent(pageMark)}">`;
