import { formatQuery, parseQueryText } from '@fuzzqe/core/query';
import { type Answer, openEngine } from '@fuzzqe/engine';
import { bundleFolder, folderSource, nodeSessions } from '@fuzzqe/serve';
import type { QueryFlags } from '../commands/query.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** Does `fuzzqe query`. */
export async function answerText(
  terminal: Terminal,
  bundle: string,
  text: string,
  flags: QueryFlags,
): Promise<void> {
  const { k, exclude } = flags;
  const folder = await bundleFolder(bundle);
  const engine = await openEngine({
    source: folderSource(folder),
    sessions: nodeSessions(folder),
    profile: flags.profile,
  });
  try {
    const query = parseQueryText(text, engine.vocabulary);
    const answer = await engine.answer(query, { exclude, ...(k === undefined ? {} : { k }) });
    if (flags.json) {
      terminal.out(JSON.stringify({ query: formatQuery(query, engine.vocabulary), ...answer }));
      return;
    }
    for (const warning of answer.warnings) terminal.note(`Note: ${warning}`);
    formatAnswers(answer).forEach(terminal.out);
  } finally {
    await engine.close();
  }
}

function formatAnswers({ answers }: Answer): string[] {
  const width = Math.max(0, ...answers.map(({ label }) => label.length));
  return answers.map(
    ({ label, score, known }, i) =>
      `${String(i + 1).padStart(3)}  ${label.padEnd(width)}  ${score.toFixed(4)}${known ? '  recorded' : ''}`,
  );
}
