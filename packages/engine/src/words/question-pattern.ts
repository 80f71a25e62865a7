import { type EntityId, FuzzError, type KnowledgeGraph, type Vocabulary } from '@fuzzqe/core';
import {
  type Condition,
  formatPattern,
  joined,
  type Pattern,
  patternOf,
  type Term,
} from '@fuzzqe/core/query';
import { askableQuestions } from './askable-questions.ts';
import { graphWords } from './graph-words.ts';
import { phraseReader } from './phrase-reader.ts';
import { type QuestionMeaning, questionMeanings } from './question-forms.ts';
import { questionTokens } from './question-tokens.ts';
import { relationLexicon } from './relation-words.ts';

/** What a question in words asks. */
export interface AskedPattern {
  readonly pattern: Pattern;
  /** Whether it asks how many. */
  readonly count: boolean;
}

/** A graph that is asked in words. */
export interface WordsGraph {
  readonly vocabulary: Vocabulary;
  readonly facts: KnowledgeGraph;
}

/** The longest question, in characters. */
export const longestQuestion = 500;

/** The most words that templates read. */
const mostWords = 48;

/**
 * The pattern of a question in English, by templates of one and two hops over the labels of the relations.
 *
 * A question that no template fits, or that may mean several patterns, is refused.
 *
 * @throws FuzzError `query`: with questions that may be asked in the hint.
 * @example
 * formatPattern(patternOfQuestion('what borders France', engine).pattern, engine.vocabulary); // '?x : borders(?x, France)'
 */
export function patternOfQuestion(
  question: string,
  { vocabulary, facts }: WordsGraph,
  path?: string,
): AskedPattern {
  const tokens = questionTokens(question);
  if (tokens.length > mostWords || question.length > longestQuestion)
    throw new FuzzError('query', `question: expected at most ${mostWords} words, got ${tokens.length}`, {
      ...(path === undefined ? {} : { path }),
      hint: 'Ask a shorter question, or write a pattern.',
    });
  const graph = graphWords(question, tokens, { vocabulary, facts });
  const lexicon = relationLexicon(vocabulary);
  const reader = phraseReader(tokens, lexicon, graph);
  const found = new Map<string, AskedPattern>();
  for (const meaning of questionMeanings(reader, graph, tokens.length)) {
    const asked = { pattern: patternFor(meaning), count: meaning.count === true };
    const text = textOf(asked, vocabulary);
    if (text !== undefined) found.set(text, asked);
  }
  const [first] = found.values();
  if (found.size === 1 && first !== undefined) return first;
  const readings = [...found.keys()].map((text) => JSON.stringify(text)).join(' or ');
  const unknown = graph.unknown(lexicon);
  throw new FuzzError(
    'query',
    found.size > 1
      ? `question: expected one meaning, got ${found.size}`
      : unknown.length > 0
        ? `question: expected names and relations of the graph, got ${unknown.map((name) => JSON.stringify(name)).join(', ')}`
        : 'question: expected a question of a form that templates know',
    {
      ...(path === undefined ? {} : { path }),
      hint:
        found.size > 1
          ? `Ask by a pattern instead: ${readings}.`
          : `Ask as in ${askableQuestions({ vocabulary, facts })
              .map((each) => JSON.stringify(each))
              .join(', ')}, or by a pattern.`,
    },
  );
}

/** The text of a pattern; undefined if it binds no answer, as a negation alone. */
function textOf({ pattern, count }: AskedPattern, vocabulary: Vocabulary): string | undefined {
  try {
    return `${count ? 'how many ' : ''}${formatPattern(pattern, vocabulary)}`;
  } catch (error) {
    if (error instanceof FuzzError) return undefined;
    throw error;
  }
}

const names = ['x', 'y', 'z', 'u', 'v', 'w'];

function patternFor({ query, subject, exists = false }: QuestionMeaning): Pattern {
  const { variables, where } = patternOf(query);
  const first = subject === undefined ? 0 : 1;
  const operands = conditionsOf(where, (term) => {
    if (!('variable' in term)) return term;
    return term.variable === 0 && subject !== undefined
      ? { entity: subject }
      : { variable: term.variable - first };
  });
  return {
    variables: variables.slice(first).map((_, i) => names[i] ?? `x${i}`),
    answers: subject === undefined && !exists ? [0] : [],
    where: joined('and', operands),
  };
}

/** The parts of a conjunction, with links forwards and no comparison of two entities that differ. */
function conditionsOf(condition: Condition, replace: (term: Term) => Term): Condition[] {
  const inner = (node: Condition): Condition => joined('and', conditionsOf(node, replace));
  switch (condition.op) {
    case 'and':
      return condition.operands.flatMap((operand) => conditionsOf(operand, replace));
    case 'or':
      return [{ op: 'or', operands: condition.operands.map(inner) }];
    case 'not': {
      const operand = inner(condition.operand);
      return differs(operand) ? [] : [{ op: 'not', operand }];
    }
    case 'link': {
      const { relation } = condition;
      const [from, to] = [replace(condition.from), replace(condition.to)];
      if (relation % 2 === 0) return [{ op: 'link', relation, from, to }];
      return [{ op: 'link', relation: (relation - 1) as typeof relation, from: to, to: from }];
    }
    case 'same':
      return [{ op: 'same', left: replace(condition.left), right: replace(condition.right) }];
    default:
      return [condition];
  }
}

function differs(condition: Condition): boolean {
  if (condition.op !== 'same') return false;
  const [left, right] = [entityOf(condition.left), entityOf(condition.right)];
  return left !== undefined && right !== undefined && left !== right;
}

function entityOf(term: Term): EntityId | undefined {
  return 'entity' in term ? term.entity : undefined;
}
