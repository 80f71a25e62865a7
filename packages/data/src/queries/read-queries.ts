import { FuzzError, type KnowledgeGraph } from '@fuzzqe/core';
import { type Answerer, createAnswerer, type QueryBounds, structureNames } from '@fuzzqe/core/query';
import { forEachLine } from '../files/lines.ts';
import { expectNotEasy, type KnownStructures, parseQueryLine, type QueryLine } from './query-line.ts';
import { createQueriesBuilder, type QueriesBuilder, type SampledQueries } from './sampled-queries.ts';

/** What the queries of a file are held against. */
export interface ReadQueriesOptions {
  /** How many entities and relations there are; a graph will do. */
  readonly bounds: QueryBounds;
  /** Answers lines without easy answers: the graph whose exact answers are easy; where a function gives it, only once it is needed. */
  readonly smaller?: KnowledgeGraph | (() => KnowledgeGraph);
  /** Sees each line as it stands, with its place as `path:line`, before anything is computed for it; throws to refuse it. */
  readonly check?: (line: QueryLine, path: string) => void;
}

/**
 * Reads queries from JSON Lines, as `queriesToJsonLines` writes them; `.gz` is unzipped.
 *
 * The names 2u-DNF and up-DNF stand for 2u and up. Gives one part for each structure found, in the field's order and
 * then own ones as they come, and within it the queries in the order of the lines.
 *
 * @throws FuzzError `data` with `path:line`: no JSON, a structure that is not known, a query that is not of the
 *   structure its line names, an id out of range, an answer twice or both easy and hard, no easy answers and no graph
 *   to find them on; a file without queries; what `forEachLine` throws.
 * @example
 * const parts = await readQueries('test.jsonl', { bounds: graph, smaller: graph });
 */
export async function readQueries(
  path: string,
  { bounds, smaller, check }: ReadQueriesOptions,
): Promise<SampledQueries<string>[]> {
  const builders = new Map<string, QueriesBuilder<string>>();
  const known: KnownStructures = new Map();
  let answerer: Answerer | undefined;
  const easyAnswers = ({ structure, anchors, relations }: QueryLine): Int32Array | undefined => {
    if (smaller === undefined) return undefined;
    answerer ??= createAnswerer(typeof smaller === 'function' ? smaller() : smaller);
    return answerer.answer(structure.template, anchors, relations).toArray();
  };
  await forEachLine(path, (text, number) => {
    if (text === '') return;
    const where = `${path}:${number}`;
    const line = parseQueryLine(text, where, bounds, known);
    check?.(line, where);
    const { structure, anchors, relations, hard, easy: given } = line;
    const easy = given ?? easyAnswers(line);
    if (easy === undefined) {
      throw new FuzzError('data', 'easy: expected the easy answers, got none', {
        path: where,
        hint: 'Give the graph whose answers are easy, and they are computed.',
      });
    }
    expectNotEasy(easy, hard, where);
    const builder = builders.get(structure.name) ?? createQueriesBuilder(structure);
    builders.set(structure.name, builder);
    builder.add({ anchors, relations, easy, hard });
  });
  if (builders.size === 0) {
    throw new FuzzError('data', 'queries: expected at least one, got none', {
      path,
      hint: 'A line is {"type": …, "query": …, "easy": …, "hard": …}.',
    });
  }
  const names = new Set<string>([...structureNames, ...builders.keys()]);
  return [...names].flatMap((name) => builders.get(name)?.build() ?? []);
}
