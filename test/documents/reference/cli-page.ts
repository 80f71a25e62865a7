// biome-ignore lint/style/noRestrictedImports: the reference shows the command.
import { runCommand } from 'fuzzqe';
import { generatedPage } from './markdown.ts';

/** What a command prints as its help, on a line as wide as the page. */
async function helpOf(path: readonly string[]): Promise<string> {
  const lines: string[] = [];
  const terminal = {
    out: (line: string) => lines.push(line),
    note: () => {},
    status: () => {},
    live: false,
    columns: 100,
  };
  await runCommand([...path, '--help'], terminal, '0.0.0');
  // The default is a property of the machine.
  return lines.join('\n').replaceAll(/(--threads <n>[^(]*)\(default: \d+\)/g, '$1(default: the cores)');
}

/** The commands that a help lists, in groups with headings such as `Make a model:`. */
function commandsOf(help: string): readonly string[] {
  if (!/^Usage: .*\[command\]$/m.test(help)) return [];
  const groups = [...help.matchAll(/^(\S[^\n]*):\n((?: .*\n|\n(?= {2}\w))*)/gm)];
  return groups
    .filter(([, heading]) => !/^(?:Usage|Options|Arguments|Examples?|Exit codes)\b/.test(heading!))
    .flatMap(([, , list]) => [...list!.matchAll(/^ {2}(\S+)/gm)].map(([, name]) => name!.split('|')[0]!))
    .filter((name) => name !== 'help');
}

async function sections(path: readonly string[], help: string): Promise<readonly string[]> {
  const parts = await Promise.all(
    commandsOf(help).map(async (name) => {
      const inner = [...path, name];
      const text = await helpOf(inner);
      const heading = `${'#'.repeat(inner.length + 1)} fuzzqe ${inner.join(' ')}`;
      return [`${heading}\n\n\`\`\`text\n${text.trimEnd()}\n\`\`\``, ...(await sections(inner, text))];
    }),
  );
  return parts.flat();
}

/** Every command with its options, examples and exit codes, as its help shows them. */
export async function cliPage(): Promise<string> {
  const help = await helpOf([]);
  const all = await sections([], help);
  return generatedPage(
    'Commands',
    'the help of the commands',
    `This page shows what \`fuzzqe COMMAND --help\` prints.\n\n\`\`\`text\n${help.trimEnd()}\n\`\`\`\n\n${all.join('\n\n')}`,
  );
}
