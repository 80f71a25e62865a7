import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { FuzzError, isPassing, receivedError, type SentError } from '@fuzzqe/core';
import { type CallLimits, throwIfOver, tooLate, whenOver } from '@fuzzqe/engine';
import type { ParsedText, TextUnits } from '@fuzzqe/sparql/syntax';
import { addLast, takeNext, type Waiting } from './take-next.ts';

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

/** A text that waits or is being read. */
interface Job extends ParserAsked, Waiting {
  settle(outcome: ParserReply | FuzzError): void;
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
  const line = new Map<unknown, Job[]>();
  let worker: Worker | undefined;
  let reading: Job | undefined;
  /** Until the thread is ended: for want of a text, or because of one. */
  let end: ReturnType<typeof setTimeout> | undefined;

  const drop = (ended: Worker, reason: FuzzError): void => {
    if (worker !== ended) return;
    worker = undefined;
    void ended.terminate();
    finish(reason);
  };
  const start = (): Worker => {
    const started = new Worker(script, { resourceLimits });
    const fail = (cause: unknown): void =>
      drop(started, new FuzzError('runtime', 'the thread that reads SPARQL ended', { cause, passing: true }));
    started.on('error', fail);
    started.on('messageerror', fail);
    started.on('exit', fail);
    started.on('message', (reply: ParserReply) => {
      if (worker === started) finish(reply);
    });
    // A server that ends does not wait for it.
    started.unref();
    return started;
  };
  const finish = (outcome: ParserReply | FuzzError): void => {
    clearTimeout(end);
    const job = reading;
    reading = undefined;
    job?.settle(outcome);
    readNext();
  };
  const readNext = (): void => {
    if (reading !== undefined) return;
    clearTimeout(end);
    reading = takeNext(line);
    try {
      if (reading !== undefined) worker ??= start();
    } catch (cause) {
      finish(
        new FuzzError('runtime', 'the thread that reads SPARQL cannot start', {
          cause,
          passing: isPassing(cause),
        }),
      );
      return;
    }
    const current = worker;
    if (current === undefined) return;
    const isIdle = reading === undefined;
    end = setTimeout(() => drop(current, tooLate()), isIdle ? idle : longest).unref();
    if (reading !== undefined) current.postMessage({ text: reading.text, unit: reading.unit });
    // A listener for messages and a first message have it waited for again.
    current.unref();
  };
  return async <Unit extends keyof TextUnits = 'query'>(
    text: string,
    limits: CallLimits = {},
    unit: Unit = 'query' as Unit,
  ) => {
    throwIfOver(limits);
    const { caller = Symbol('a text by itself') } = limits;
    const reply = await new Promise<ParserReply>((resolve, reject) => {
      const job: Job = {
        text,
        unit,
        isOpen: true,
        settle(outcome) {
          job.isOpen = false;
          stopWaiting();
          if (outcome instanceof FuzzError) reject(outcome);
          else resolve(outcome);
        },
      };
      const stopWaiting = whenOver(limits, job.settle);
      addLast(line, caller, job);
      readNext();
    });
    if ('error' in reply) throw receivedError(reply.error);
    // The thread reads a text as the unit that it was sent with.
    return reply.parsed as ParsedText<Unit>;
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
