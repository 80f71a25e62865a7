import { readFileSync } from 'node:fs';
import { problemOf, RequestError, type RequestErrorCode } from '@fuzzqe/api';
import { FuzzError, type FuzzErrorCode } from '@fuzzqe/core';
// biome-ignore lint/style/noRestrictedImports: the reference shows the command.
import { exitCodes } from 'fuzzqe';
import { code, generatedPage, plain, table } from './markdown.ts';

/** The members of a union of literals in a source file, each with its comment. */
function commentedUnion(path: string, type: string): readonly (readonly [name: string, meaning: string])[] {
  const text = readFileSync(new URL(`../../../packages/${path}`, import.meta.url), 'utf8');
  const union = text.slice(text.indexOf(`export type ${type} =`)).split('\n\n', 1)[0]!;
  return [...union.matchAll(/\| '([a-z-]+)';? \/\/ (.+)$|\| '([a-z-]+)'; \/\/ (.+)$/gm)].map(
    ([, a, b, c, d]) => [a ?? c!, b ?? d!] as const,
  );
}

const statusOf = (error: unknown): string => {
  const { status, title } = problemOf(error, '');
  return `${status} ${title}`;
};

/** The codes of errors with the exit code and the HTTP status of each, and the exit codes. */
export async function errorsPage(exitCodeHelp: string): Promise<string> {
  const errors = commentedUnion('core/src/errors.ts', 'FuzzErrorCode').map(([name, meaning]) => [
    code(name),
    plain(meaning),
    `${exitCodes[name as FuzzErrorCode]}`,
    statusOf(new FuzzError(name as FuzzErrorCode, '')),
  ]);
  const requests = commentedUnion('api/src/errors/request-error.ts', 'RequestErrorCode').map(
    ([name, meaning]) => [
      code(name),
      plain(meaning),
      statusOf(new RequestError(name as RequestErrorCode, '', '')),
    ],
  );
  return generatedPage(
    'Errors and exit codes',
    'errors.ts, request-error.ts, problem.ts and exit-code.ts',
    `A \`FuzzError\` has a \`code\`, a \`message\`, and if known the \`path\` in the input and a \`hint\` how to fix it.
Its \`name\` is \`FuzzError\`, or \`AbortError\` if the work was stopped (code \`interrupted\`), for example by an \`AbortSignal\`.
The command ends with the exit code of the error. The HTTP API answers with its status, as
\`application/problem+json\` (RFC 9457) with \`type\`, \`title\`, \`status\`, \`detail\`, \`code\`, \`path\`, \`hint\` and \`requestId\`.
A fault of the server that passes by itself has status 503 instead of 500, with \`Retry-After\`.

## Codes of FuzzError

${table(['Code', 'Meaning', 'Exit code', 'HTTP status'], errors)}
## Codes of HTTP requests

${table(['Code', 'Meaning', 'HTTP status'], requests)}| \`internal\` | any other error: a defect of the server | ${statusOf(new Error('defect'))} |

## Exit codes

\`\`\`text
${exitCodeHelp.trimEnd()}
\`\`\``,
  );
}
