/** The page's style sheet: nothing is fetched, and colours follow the reader's scheme. */
export const style: string = `
:root { color-scheme: light dark; --page: #fff; --ink: #1c2024; --soft: #667079; --grid: #e3e7ea; --mark: #b45309;
  --series-0: #0b6bcb; --series-1: #8a949e; --series-2: #c3cad1; }
@media (prefers-color-scheme: dark) { :root { --page: #14171a; --ink: #e6e9ec; --soft: #98a2ab; --grid: #2b3137;
  --mark: #f0a74a; --series-0: #5aa9f5; --series-1: #7d8791; --series-2: #4a525a; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 24px; max-width: 1192px; background: var(--page); color: var(--ink);
  font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 22px; margin: 0; } h2 { font-size: 16px; margin: 28px 0 8px; }
p { margin: 4px 0; } .soft, .none { color: var(--soft); }
.tiles { display: flex; flex-wrap: wrap; gap: 12px 36px; margin: 18px 0; }
.tiles div { display: flex; flex-direction: column; } .tiles b { font-size: 20px; font-weight: 600; }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(440px, 100%), 1fr)); gap: 20px 24px; }
figure { margin: 0; min-width: 0; } .wide { overflow-x: auto; } .wide svg { min-width: 760px; }
figcaption { font-weight: 600; }
svg { display: block; width: 100%; height: auto; font: 12px system-ui, sans-serif; }
svg text { fill: var(--soft); } svg .small { font-size: 11px; fill: var(--ink); }
.start { text-anchor: start; } .middle { text-anchor: middle; } .end { text-anchor: end; }
.grid { stroke: var(--grid); } .mark { stroke: var(--mark); stroke-dasharray: 4 3; }
.line { fill: none; stroke: var(--series-0); stroke-width: 1.6; stroke-linejoin: round; } circle { fill: var(--series-0); }
rect.series-0 { fill: var(--series-0); } rect.series-1 { fill: var(--series-1); } rect.series-2 { fill: var(--series-2); }
.legend { display: flex; flex-wrap: wrap; gap: 4px 20px; } .key { display: inline-flex; align-items: center; gap: 6px; }
.key i { width: 11px; height: 11px; border-radius: 2px; } i.series-0 { background: var(--series-0); }
i.series-1 { background: var(--series-1); } i.series-2 { background: var(--series-2); }
.facts { border-collapse: collapse; } .facts th { text-align: left; font-weight: 400; color: var(--soft);
  padding: 2px 20px 2px 0; vertical-align: top; } .facts td { padding: 2px 0; overflow-wrap: anywhere; }
pre { margin: 0; padding: 12px; border: 1px solid var(--grid); border-radius: 6px; overflow-x: auto;
  font: 13px/1.45 ui-monospace, monospace; }
`;
