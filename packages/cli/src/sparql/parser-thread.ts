import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { FuzzError, isPassing, receivedError, type SentError } from '@fuzzqe/core';
import { type CallLimits, tooLate } from '@fuzzqe/engine';
import type { ParsedText, TextUnits } from '@fuzzqe/sparql/syntax';
import { createJobThreads } from './job-threads.ts';

/** What the thread is asked to read. */
export interface ParserAsked {
  readonly text: string;
  readonly unit: keyof TextUnits;
}

/** What the thread answers to a text. */
export type ParserReply = { readonly parsed: ParsedText<keyof TextUnits> } | { readonly error: SentError };

/** Reads a text by the grammar of SPARQL, as `parseSyntax`, within the limits of who asks. */
export type ParseElsewhere = <Unit extends keyof TextUnits = 'query'>(
  text: string,
  limits?: CallLimits,
  unit?: Unit,
) => Promise<ParsedText<Unit>>;

/** How long a thread that reads texts lives, in milliseconds. */
export interface ParserThreadOptions {
  /** Without a text; the next one starts another thread. Default 15 minutes. */
  readonly idle?: number;
  /** With one text, which is refused. Default 5 s: those within the limits take a tenth of a second, and the first a few. */
  readonly longest?: number;
}

/** Little: texts are short, and what they read as is sent away. */
const resourceLimits = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 12 };

/**
 * Reads texts by the grammar of SPARQL on a thread of its own, which the first of them starts: to build the parser takes a fifth of a
 * second, in which no other request would be answered. It has one text at a time, of each caller in turns; what was given up or is too
 * late is not read.
 *
 * @throws FuzzError as `parseSyntax`; `interrupted`, `deadline`: the limits, or a text that takes too long; `runtime`: the thread
 * cannot start, or ended.
 */
export function createParserThread(
  script: URL,
  { idle = 900_000, longest = 5000 }: ParserThreadOptions = {},
): ParseElsewhere {
  const read = createJobThreads<ParserAsked, ParserReply>(script, {
    ...{ most: 1, idle, resourceLimits },
    begin(thread, text) {
      thread.worker.postMessage(text);
      thread.endIn(longest, tooLate());
    },
    receive: (reply) => ('error' in reply ? receivedError(reply.error) : reply.parsed),
    faultOf: (cause, hasStarted) =>
      new FuzzError('runtime', `the thread that reads SPARQL ${hasStarted ? 'ended' : 'cannot start'}`, {
        cause,
        passing: hasStarted || isPassing(cause),
      }),
  });
  return async <Unit extends keyof TextUnits = 'query'>(
    text: string,
    limits: CallLimits = {},
    unit: Unit = 'query' as Unit,
  ) => {
    // The thread reads a text as the unit that it was sent with.
    return (await read({ text, unit }, limits)) as ParsedText<Unit>;
  };
}

/**
 * The script of a thread, next to `module`; undefined where sources run, since Node 20 runs no TypeScript.
 *
 * @throws FuzzError `runtime`: it is missing.
 */
export function threadScript(
  name: 'parse-texts' | 'evaluate-queries',
  module: string = import.meta.url,
): URL | undefined {
  if (module.endsWith('.ts')) return undefined;
  const script = new URL(`./${name}.js`, module);
  if (!existsSync(fileURLToPath(script)))
    throw new FuzzError(
      'runtime',
      `${fileURLToPath(script)}: expected the script that reads or evaluates SPARQL, got no file`,
      { hint: 'Install the command again.' },
    );
  return script;
}
