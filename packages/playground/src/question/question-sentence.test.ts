import { expect, it } from 'vitest';
import { countryNames } from '../testing/country-names.ts';
import { createNaming } from './naming.ts';
import { questionSentence } from './question-sentence.ts';
import { readText } from './text.ts';

const naming = createNaming(countryNames());

async function sentence(text: string, relation?: string): Promise<string> {
  const question = await readText(text, naming);
  return naming.run((vocabulary) =>
    questionSentence(question, {
      labelOf: (id) => vocabulary.entity(id).label,
      dataLabel: (id) => relation ?? vocabulary.relation(id).label,
    }),
  );
}

it.each([
  ['France', 'France'],
  ['?', '…'],
  ['project(borders, France)', 'everything that France borders'],
  ['project(borders^-1, France)', 'everything that borders France'],
  ['project(borders, ?)', 'everything that … borders'],
  ['project("uses currency", France)', 'everything that France uses as currency'],
  ['and(project(borders^-1, France), ?)', 'everything that borders France and …'],
  [
    'project(borders^-1, project(borders^-1, France))',
    'everything that borders something that borders France',
  ],
  [
    'and(project(borders^-1, France), not(Germany))',
    'everything that borders France, except what is Germany',
  ],
  [
    'and(not(Germany), project(borders^-1, France))',
    'everything that borders France, except what is Germany',
  ],
  ['not(project(borders^-1, France))', 'everything except what borders France'],
  [
    'project(borders^-1, or(France, Germany))',
    'everything that borders something (that is France or that is Germany)',
  ],
])('%s reads as: %s', async (text, expected) => {
  expect(await sentence(text)).toBe(expected);
});

it.each([
  ['capital', 'everything that is the capital of France', 'everything whose capital is France'],
  [
    'has official language',
    'everything that is the official language of France',
    'everything that has official language France',
  ],
  ['part of', 'everything that France is part of', 'everything that is part of France'],
  ['is part of', 'everything that France is part of', 'everything that is part of France'],
  ['status', 'everything that is the status of France', 'everything whose status is France'],
  ['/film/genre', 'everything that is the /film/genre of France', 'everything whose /film/genre is France'],
])('the label %s reads well in both directions', async (label, forward, inverse) => {
  expect(await sentence('project(borders, France)', label)).toBe(forward);
  expect(await sentence('project(borders^-1, France)', label)).toBe(inverse);
});

it('an exclusion of a joint or of a noun reads as an exclusion', async () => {
  expect(await sentence('not(project(borders^-1, France))', 'capital')).toBe(
    'everything except everything whose capital is France',
  );
});
