import { FuzzError, type Vocabulary } from '@fuzzqe/core';
import { formatQuery, parseQueryText, type Query } from '@fuzzqe/core/query';
import { type Answer, openEngine } from '@fuzzqe/engine';
import { bundleFolder, folderSource, nodeSessions } from '@fuzzqe/serve';
import { formatColumns } from '../terminal/columns.ts';
import type { NextCommand } from '../terminal/next-command.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** What `fuzzqe query` was told. */
export interface QueryFlags {
  readonly k?: number;
  readonly exclude: 'known' | 'none';
  readonly profile?: string;
  readonly json?: boolean;
}

/** Does `fuzzqe query`. */
export async function answerText(
  terminal: Terminal,
  bundle: string,
  text: string,
  { k, exclude, profile, json }: QueryFlags,
): Promise<NextCommand> {
  const folder = await bundleFolder(bundle);
  const engine = await openEngine({
    source: folderSource(folder),
    sessions: nodeSessions(folder),
    ...(profile === undefined ? {} : { profile }),
  });
  try {
    const query = parseWithHint(text, engine.vocabulary, bundle);
    const answer = await engine.answer(query, { exclude, ...(k === undefined ? {} : { k }) });
    if (json) terminal.out(JSON.stringify({ query: formatQuery(query, engine.vocabulary), ...answer }));
    else {
      for (const warning of answer.warnings) terminal.note(`Note: ${warning}`);
      formatAnswers(answer, terminal.columns).forEach(terminal.out);
    }
    return ['serve', bundle];
  } finally {
    await engine.close();
  }
}

/** A query out of text; where a name is not known, the error says where names are listed. */
function parseWithHint(text: string, vocabulary: Vocabulary, bundle: string): Query {
  try {
    return parseQueryText(text, vocabulary);
  } catch (cause) {
    if (!(cause instanceof FuzzError) || cause.code !== 'vocabulary') throw cause;
    const where = `fuzzqe names ${bundle} TEXT searches names, with --relations those of relations`;
    throw new FuzzError('vocabulary', cause.message, {
      ...(cause.path === undefined ? {} : { path: cause.path }),
      hint: cause.hint === undefined ? where : `${cause.hint}\n  ${where}`,
      cause,
    });
  }
}

function formatAnswers({ answers }: Answer, width: number): string[] {
  return formatColumns(
    [{ right: true }, { cut: true }, {}, {}],
    answers.map(({ label, score, known }, i) => [
      `${i + 1}`.padStart(3),
      label,
      score.toFixed(4),
      known ? 'recorded' : '',
    ]),
    width,
  );
}
