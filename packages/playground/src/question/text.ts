import { FuzzError, type Vocabulary } from '@fuzzqe/core';
import { formatQuery, parseQueryText, type Query } from '@fuzzqe/core/query';
import { holeName, type Naming } from './naming.ts';
import { createKeys, type Question } from './question.ts';
import { directionOf, relationOf } from './to-query.ts';

/**
 * Writes a question in the text notation, `?` in the place of what is missing.
 *
 * `readText(await writeText(question, naming), naming)` is the question again, but for its keys; the place of an entity that is to be
 * chosen becomes a place of any part.
 */
export async function writeText(question: Question, naming: Naming): Promise<string> {
  const query = withHoles(question, naming);
  return withQuestionMarks(await naming.run((vocabulary) => formatQuery(query, vocabulary)));
}

/**
 * Reads a question in the text notation; `?` stands for what is missing.
 *
 * @throws FuzzError `query`, `vocabulary` or `range`, with line and column.
 */
export async function readText(text: string, naming: Naming): Promise<Question> {
  // As long as the question mark: columns stay.
  const named = text.replace(/"(?:[^"\\]|\\.)*"|<[^<>\s]+>|\?/gs, (token) =>
    token === '?' ? holeName : token,
  );
  try {
    const query = await naming.run((vocabulary) => parseQueryText(named, withoutHoles(vocabulary)));
    return fromHoles(query, naming, createKeys());
  } catch (error) {
    if (!(error instanceof FuzzError)) throw error;
    const { code, path, hint, cause } = error;
    throw new FuzzError(code, withQuestionMarks(error.message), {
      ...(path === undefined ? {} : { path }),
      ...(hint === undefined ? {} : { hint: withQuestionMarks(hint) }),
      cause,
    });
  }
}

const withQuestionMarks = (text: string): string => text.replaceAll(holeName, '?');

function withHoles(question: Question, naming: Naming): Query {
  switch (question.kind) {
    case 'hole':
      return { op: 'entity', entity: naming.holeEntity };
    case 'anchor':
      return { op: 'entity', entity: question.entity ?? naming.holeEntity };
    case 'hop': {
      const { inverse, relation = naming.holeRelation } = question;
      return {
        op: 'project',
        relation: relationOf({ relation, inverse })!,
        from: withHoles(question.of, naming),
      };
    }
    case 'not':
      return { op: 'not', operand: withHoles(question.of, naming) };
    default: {
      const operands = question.parts.map((part) => withHoles(part, naming));
      while (operands.length < 2) operands.push({ op: 'entity', entity: naming.holeEntity });
      return { op: question.kind, operands };
    }
  }
}

function fromHoles(query: Query, naming: Naming, keys: () => string): Question {
  const key = keys();
  switch (query.op) {
    case 'entity':
      if (query.entity === naming.holeEntity) return { kind: 'hole', key };
      return { kind: 'anchor', key, entity: query.entity };
    case 'project': {
      const { relation, inverse } = directionOf(query.relation);
      const step = relation === naming.holeRelation ? { inverse } : { relation, inverse };
      return { kind: 'hop', key, ...step, of: fromHoles(query.from, naming, keys) };
    }
    case 'not':
      return { kind: 'not', key, of: fromHoles(query.operand, naming, keys) };
    default:
      return { kind: query.op, key, parts: query.operands.map((each) => fromHoles(each, naming, keys)) };
  }
}

/** The ids that a text may have: `#` and a number is no way to write what is missing. */
export function withoutHoles(vocabulary: Vocabulary): Vocabulary {
  const { entityCount, relationCount } = vocabulary;
  return { ...vocabulary, entityCount: entityCount - 1, relationCount: relationCount - 2 };
}
