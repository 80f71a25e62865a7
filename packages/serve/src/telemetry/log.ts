import { FuzzError, withoutSecrets } from '@fuzzqe/core';
import { escapeControlCharacters } from '@fuzzqe/core/text';
import { aFunction, checkOptions, type OptionForm, oneOf } from '@fuzzqe/engine';
import pino, { type DestinationStream } from 'pino';
import { openLineWriter } from './line-writer.ts';

/** From the most to the least that is written. */
export const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

/** Values in addition to a message; nothing that a client or a setting keeps secret belongs here. */
export type LogFields = Readonly<Record<string, unknown>>;

/** What happens in a server, as one line of JSON for each event. */
export interface Log {
  debug(fields: LogFields, message: string): void;
  info(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  error(fields: LogFields, message: string): void;
  /** As `info`, and at every level but `silent`: where it serves, and that it ends, which anyone who started it waits for. */
  announce(fields: LogFields, message: string): void;
  /** Writes what still waits, as far as somebody takes it within a second. */
  close(): void;
}

/** How a log is written. */
export interface LogOptions {
  /** Default `info`. */
  readonly level?: LogLevel;
  /** Takes each line, which ends in a line feed. Default: standard error, where a reader that stalls holds nothing up. */
  readonly write?: (line: string) => void;
  /** Hears of each line that was dropped, since nobody read those before it or it could not be written. */
  readonly onDropped?: () => void;
}

const forms: Readonly<Record<keyof LogOptions, OptionForm>> = {
  level: oneOf(...logLevels),
  write: aFunction,
  onDropped: aFunction,
};

/**
 * A log by pino: `{"level":"info","time":"2026-01-01T00:00:00.000Z",…,"msg":"request"}`, control characters written out.
 *
 * @throws FuzzError `usage`: an option.
 */
export function createLog(options: LogOptions = {}): Log {
  checkOptions(options, forms);
  const { onDropped = () => undefined } = options;
  const standardError = options.write === undefined ? openLineWriter(onDropped) : undefined;
  const write = options.write ?? ((line: string): void => void standardError!.write(line));
  const stream: DestinationStream = { write: (line) => write(escapeControlCharacters(line)) };
  const logger = pino(
    {
      level: options.level ?? 'info',
      base: null,
      timestamp: createTimestamp(),
      formatters: { level: (level) => ({ level }) },
      serializers: { error: describeError },
    },
    stream,
  );
  const announcing = logger.child({}, { level: options.level === 'silent' ? 'silent' : 'info' });
  return {
    debug: (fields, message) => logger.debug(fields, message),
    info: (fields, message) => logger.info(fields, message),
    warn: (fields, message) => logger.warn(fields, message),
    error(fields, message) {
      logger.error(fields, message);
      standardError?.send();
    },
    announce: (fields, message) => announcing.info(fields, message),
    close: () => standardError?.close(),
  };
}

/** The time of a line, written once a millisecond: to write a date takes a tenth of a line. */
function createTimestamp(): () => string {
  let [at, text] = [Number.NaN, ''];
  return () => {
    const time = Date.now();
    if (time !== at) {
      at = time;
      text = `,"time":"${new Date(time).toISOString()}"`;
    }
    return text;
  };
}

/** An error as a log shows it: with its trace and its causes, and without the secrets of addresses. */
function describeError(error: unknown): unknown {
  const causes: unknown[] = [];
  for (let each = error; each !== undefined && causes.length < mostCauses; ) {
    causes.push(describeOne(each));
    each = each instanceof Error ? each.cause : undefined;
  }
  const [first, ...others] = causes;
  return others.length === 0 ? first : { ...(first as object), causes: others }; // an object, by describeOne
}

/** How deep the causes of an error are followed. */
const mostCauses = 5;

function describeOne(error: unknown): object {
  if (!(error instanceof Error)) return { message: shown(String(error)) };
  const { path, hint } = error instanceof FuzzError ? error : {};
  return {
    type: error.name,
    ...('code' in error ? { code: error.code } : {}),
    message: shown(error.message),
    ...(path === undefined ? {} : { path }),
    ...(hint === undefined ? {} : { hint }),
    ...(error.stack === undefined ? {} : { stack: shown(error.stack) }),
  };
}

function shown(text: string): string {
  return withoutSecrets(text.slice(0, 8000)).slice(0, 4000);
}
