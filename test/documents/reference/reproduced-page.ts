import { fileURLToPath } from 'node:url';
import { readReproduction, reproductionPage } from '@fuzzqe/pipeline';
import { generatedPage } from './markdown.ts';

/** Where the last table of Countries is kept. */
const record = new URL('../../../bench/reproduced/countries-links.json', import.meta.url);

/** The page of the table that was made last. */
export async function reproducedPage(): Promise<string> {
  const [title = '', ...body] = reproductionPage(await readReproduction(fileURLToPath(record))).split('\n');
  return generatedPage(
    title.replace(/^# /, ''),
    'bench/reproduced',
    `[\`fuzzqe reproduce\`](reproduce.md) made this table.\n${body.join('\n')}`,
  );
}
