import { FuzzError } from '@fuzzqe/core';
import { type Condition, type Pattern, parsePatternText, type Term } from '@fuzzqe/core/query';
import { loadCountries } from '@fuzzqe/data';
import { patternOfQuestion } from '@fuzzqe/engine/words';
import { describe, expect, it } from 'vitest';
import { type CountryQuestion, countryQuestions } from './country-questions.ts';

const dataset = loadCountries();
const { vocabulary } = dataset;
const graph = { vocabulary, facts: dataset.graphs().full };

describe('templates', () => {
  const judged = countryQuestions.map((asked) => ({ ...asked, verdict: verdictOf(asked) }));
  const questionsOf = (verdict: string) =>
    judged.filter((each) => each.verdict === verdict).map(({ question }) => question);

  it('read 85 of 100 questions about countries, and refuse the others', () => {
    expect(questionsOf('wrong')).toEqual([]);
    expect([countryQuestions.length, questionsOf('right').length, questionsOf('refused').length]).toEqual([
      100, 85, 15,
    ]);
    // Negative control: by the pattern of another question, a question would be wrong.
    const [first, , third] = countryQuestions;
    expect(verdictOf({ ...first!, ...{ pattern: third!.pattern! } })).toBe('wrong');
  });

  it('refuse what the graph cannot answer', () => {
    const without = judged.filter(({ pattern }) => pattern === undefined);
    expect(without.map(({ verdict }) => verdict)).toEqual(['refused', 'refused', 'refused', 'refused']);
  });

  it.each([
    'Which islands border France?',
    'Which cities are in Europe?',
    'What did France border in 1900?',
    'Which countries bordered France?',
    'Why does France border Spain?',
    'Which countries border France or Spain and Germany?',
    'capital of France and Spain',
    'Which large countries border France?',
    'Which countries almost border France?',
    'What is the second language of Belgium?',
    'Which countries border only France?',
    'Which countries do not border France?',
    'Which capitals border France?',
    'Who borders?',
    'France',
  ])('refuse %j, of which they know a part', (question) => {
    expect(() => patternOfQuestion(question, graph)).toThrow(FuzzError);
  });
});

function verdictOf({ question, pattern, count = false }: CountryQuestion): 'right' | 'wrong' | 'refused' {
  try {
    const asked = patternOfQuestion(question, graph);
    const isSame =
      pattern !== undefined &&
      asked.count === count &&
      canonical(asked.pattern) === canonical(parsePatternText(pattern, vocabulary));
    return isSame ? 'right' : 'wrong';
  } catch (error) {
    if (error instanceof FuzzError && error.code === 'query') return 'refused';
    throw error;
  }
}

/** The same text for patterns that differ in the names of variables and the order of conditions. */
function canonical({ variables, answers, where }: Pattern): string {
  const texts = permutations(variables.map((_, i) => i)).map((order) => {
    const term = (of: Term): string => ('entity' in of ? `${of.entity}` : `?${order.indexOf(of.variable)}`);
    const write = (node: Condition): string => {
      switch (node.op) {
        case 'link':
          return `${node.relation}(${term(node.from)}, ${term(node.to)})`;
        case 'same':
          return [node.left, node.right].map(term).sort().join(' = ');
        case 'not':
          return `not ${write(node.operand)}`;
        case 'and':
        case 'or':
          return `${node.op}(${node.operands.map(write).sort().join()})`;
        default:
          return JSON.stringify(node);
      }
    };
    return `${answers.map((at) => order.indexOf(at)).join()}: ${write(where)}`;
  });
  return texts.sort()[0]!;
}

function permutations(items: readonly number[]): (readonly number[])[] {
  if (items.length === 0) return [[]];
  return items.flatMap((item) =>
    permutations(items.filter((each) => each !== item)).map((rest) => [item, ...rest]),
  );
}
