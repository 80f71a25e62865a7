import { formatQuery, parseQueryText } from '@fuzzqe/core/query';
import { type Answer, openEngine } from '@fuzzqe/engine';
import { bundleFolder, folderSource, nodeSessions } from '@fuzzqe/serve';
import type { Command } from 'commander';
import type { Terminal } from '../terminal/terminal.ts';
import { namesOutOf, wholeNumber } from './options.ts';

/** Adds `fuzzqe query`. */
export function addQueryCommand(program: Command, terminal: Terminal): void {
  program
    .command('query <bundle> <query>')
    .description('answer one query from a bundle')
    .option('-k <n>', 'how many answers', wholeNumber(1), 10)
    .option('--exclude <known|none>', 'leave out what the graph already records', 'none')
    .option('--profile <name>', 'which stored form of the model answers', 'fp32')
    .option('--json', 'print the answers as JSON')
    .addHelpText(
      'after',
      '\nExample:\n  fuzzqe query bundles/countries \'and(project(borders, France), project("has official language"^-1, German))\'',
    )
    .action(async (bundle: string, text: string, flags: QueryFlags) => {
      const [exclude] = namesOutOf(flags.exclude, ['known', 'none'], 'exclusion');
      const folder = await bundleFolder(bundle);
      const engine = await openEngine({
        source: folderSource(folder),
        sessions: nodeSessions(folder),
        profile: flags.profile,
      });
      try {
        const query = parseQueryText(text, engine.vocabulary);
        const answer = await engine.answer(query, { k: flags.k, exclude: exclude! });
        if (flags.json) {
          terminal.out(JSON.stringify({ query: formatQuery(query, engine.vocabulary), ...answer }));
          return;
        }
        for (const warning of answer.warnings) terminal.note(`Note: ${warning}`);
        formatAnswers(answer).forEach(terminal.out);
      } finally {
        await engine.close();
      }
    });
}

interface QueryFlags {
  readonly k: number;
  readonly exclude: string;
  readonly profile: string;
  readonly json?: boolean;
}

function formatAnswers({ answers }: Answer): string[] {
  const width = Math.max(0, ...answers.map(({ label }) => label.length));
  return answers.map(
    ({ label, score, known }, i) =>
      `${String(i + 1).padStart(3)}  ${label.padEnd(width)}  ${score.toFixed(4)}${known ? '  recorded' : ''}`,
  );
}
