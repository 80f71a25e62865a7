import { readdirSync, readFileSync } from 'node:fs';
import { code, generatedPage, plain, table } from './markdown.ts';

const folder = new URL('../../../packages/train/src/presets/', import.meta.url);

interface PresetFile {
  readonly name: string;
  readonly description: string;
  readonly extends?: string;
  readonly training: object;
  readonly queries: object;
  readonly expected?: Readonly<Record<string, unknown>>;
}

/** A value of `expected` as text: figures of a group in one cell. */
function told(value: unknown): string {
  if (typeof value !== 'object' || value === null) return plain(String(value));
  return Object.entries(value)
    .map(([key, inner]) => `${plain(key)}: ${Array.isArray(inner) ? inner.join(' and ') : String(inner)}`)
    .join('; ');
}

const spaced = (name: string): string =>
  name.replaceAll(/([a-z])([A-Z])/g, (_, a, b) => `${a} ${b.toLowerCase()}`);

function section({ name, description, extends: base, training, queries, expected }: PresetFile): string {
  const rows = Object.entries(expected ?? {}).map(([key, value]) => [
    spaced(key),
    key === 'command' ? code(value) : told(value),
  ]);
  const extended = base === undefined ? '' : ` It extends ${code(base)}.`;
  return `## ${name}

${plain(description)}${extended}

${rows.length === 0 ? '' : `${table(['Expected', ''], rows)}\n`}\`\`\`json
${JSON.stringify({ training, queries }, undefined, 2)}
\`\`\``;
}

/** The presets with what they set and the result that each is expected to reach. */
export function presetsPage(): string {
  const presets = readdirSync(folder)
    .filter((file) => file.endsWith('.json') && !file.endsWith('.schema.json'))
    .sort()
    .map((file): PresetFile => JSON.parse(readFileSync(new URL(file, folder), 'utf8')));
  return generatedPage(
    'Presets',
    'packages/train/src/presets',
    `\`fuzzqe train --config NAME\` trains with a preset. A preset that extends another one has its values, except those listed.
[training-configuration.md](training-configuration.md) describes each key. MRR and hits are shares, from 0 to 1.

${presets.map(section).join('\n\n')}`,
  );
}
