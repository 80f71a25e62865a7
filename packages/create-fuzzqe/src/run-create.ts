import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { FuzzError, type FuzzErrorCode, messageOf } from '@fuzzqe/core';
import { escapeControlCharacters } from '@fuzzqe/core/text';
import { createProject } from './create-project.ts';
import { type TemplateName, templateNames, templates } from './templates.ts';

const help = `Usage: npm create fuzzqe@latest <folder> -- [options]

Begins a project in a new folder: a graph, a model of it, and a way to ask.

Options:
  --template <name>  what it is (default: ${templateNames[0]})
${templateNames.map((name) => `                       ${name.padEnd(7)} ${templates[name].description}`).join('\n')}
  --data <file>      your graph, copied into it: triples as TSV or CSV, or RDF;
                     the Countries graph without it
  --version          the version, which that of the project's packages is
  --help             this

Example:
  npm create fuzzqe@latest my-graph -- --template serve --data triples.tsv

Exit codes:
  0  done                     4  no such file of data
  1  a defect of this program  8  somebody else writes there
  2  wrong option or folder    9  disk full, or nothing can be written there`;

/** Of the errors that this command can end in; as those of the command fuzzqe. */
export const createExitCodes: Readonly<Partial<Record<FuzzErrorCode, number>>> = {
  usage: 2,
  data: 4,
  runtime: 8,
  storage: 9,
};

/** Where it writes: results to `out`, everything else to `note`. */
interface Lines {
  out(line: string): void;
  note(line: string): void;
}

const processLines: Lines = {
  out: (line) => process.stdout.write(`${line}\n`),
  note: (line) => process.stderr.write(`${escapeControlCharacters(line)}\n`),
};

/** Runs `create-fuzzqe` with the arguments of its command line and returns the exit code. */
export async function runCreate(args: readonly string[], lines: Lines = processLines): Promise<number> {
  try {
    const { values, positionals } = parseOptions(args);
    if (values.help) lines.out(help);
    else if (values.version) lines.out(version());
    else {
      const [folder, ...others] = positionals;
      if (folder === undefined || others.length > 0)
        throw usage(`expected one folder, got ${positionals.length}`, 'Name the folder to make.');
      const { template = templateNames[0]!, data } = values;
      const next = await createProject({
        folder,
        template: expectTemplate(template),
        ...(data === undefined ? {} : { data }),
      });
      lines.note(`Wrote ${folder}. Then: ${next.join(', ')}`);
    }
    return 0;
  } catch (error) {
    const code = error instanceof FuzzError ? createExitCodes[error.code] : undefined;
    const text = code === undefined ? `a defect of this program: ${messageOf(error)}` : String(error);
    for (const line of `create-fuzzqe: ${text}`.split('\n')) lines.note(line);
    return code ?? 1;
  }
}

function parseOptions(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        template: { type: 'string' },
        data: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
        version: { type: 'boolean' },
      },
    });
  } catch (cause) {
    throw usage(messageOf(cause), '--help says what it takes.', cause);
  }
}

function expectTemplate(name: string): TemplateName {
  const found = templateNames.find((each) => each === name);
  if (found !== undefined) return found;
  throw usage(
    `template: expected ${templateNames.join(', ')}, got ${name}`,
    '--help says what each of them is.',
  );
}

const usage = (message: string, hint: string, cause?: unknown): FuzzError =>
  new FuzzError('usage', message, { hint, cause });

function version(): string {
  const manifest = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return (JSON.parse(manifest) as { readonly version: string }).version; // the manifest of this package
}
