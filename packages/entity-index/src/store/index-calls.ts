import { FuzzError } from '@fuzzqe/core';
import { type CallLimits, throwIfOver } from '@fuzzqe/engine';
import { type IndexAddress, withoutSecretsOf } from '../address/index-address.ts';

/** How long a database is waited for, and how often. Times are in milliseconds. */
export interface CallPatience {
  /** For one answer. Default 5000. */
  readonly timeout?: number;
  /** How often what failed is tried again. Default 2. */
  readonly retries?: number;
  /** Before the second attempt; it doubles with each. Default 100. */
  readonly backOff?: number;
  /** Whether an answer that takes too long means that the database is away. Default: false, since it may be this call that is slow. */
  readonly decides?: boolean;
}

/** Calls of a database that may be away for a moment. */
export interface IndexCalls {
  /** Why the last call that ended was not answered, at no attempt; undefined where it was. */
  readonly failure: FuzzError | undefined;
  /**
   * Does some work there, again where it fails or takes too long.
   *
   * @throws FuzzError `runtime`: it could not be reached, `passing` unless it refused what another attempt would not change. `interrupted` and `deadline`, by the limits. What it throws itself.
   */
  call<T>(work: () => Promise<T>, limits?: CallLimits, patience?: CallPatience): Promise<T>;
}

/** Calls of what an address names; errors name it without its secrets. */
export function createIndexCalls(
  address: Pick<IndexAddress, 'secrets' | 'kind'>,
  name: string,
  defaults: CallPatience = {},
): IndexCalls {
  let failure: FuzzError | undefined;
  const unreachable = (cause: unknown): FuzzError => {
    // Drivers give up on several addresses of a host at once, without a word of their own.
    const first = cause instanceof AggregateError ? (cause.errors[0] as unknown) : cause;
    const said = first instanceof Error ? first.message || first.name : String(first);
    const reason = withoutSecretsOf(address, summaryOf(said));
    return new FuzzError('runtime', `the entity index cannot be reached: ${reason}`, {
      path: name,
      hint: 'Check that the database runs, that this machine reaches it, and what lets it in.',
      toCallers: `The entity index ${name.split(' ')[0]} (${address.kind}) cannot be reached.`,
      passing: !isRefusal(cause),
    });
  };
  return {
    get failure() {
      return failure;
    },
    async call(work, limits = {}, patience = {}) {
      const { timeout = 5000, retries = 2, backOff = 100, decides = false } = { ...defaults, ...patience };
      for (let attempt = 0; ; attempt += 1) {
        throwIfOver(limits);
        try {
          const result = await within(work, timeout, limits);
          failure = undefined;
          return result;
        } catch (cause) {
          throwIfOver(limits);
          // What was answered there, though not as it should be.
          if (cause instanceof FuzzError && cause.code !== 'runtime') {
            failure = undefined;
            throw cause;
          }
          if (attempt >= retries || isRefusal(cause)) {
            const error = cause instanceof FuzzError ? cause : unreachable(cause);
            if (decides || !isLate(cause)) failure = error;
            throw error;
          }
          await within(() => new Promise(() => {}), backOff * 2 ** attempt, limits).catch(() => undefined);
        }
      }
    },
  };
}

/** Whether the time of one call was over, here, in the driver or in the database (SQLSTATE 57014; gRPC 4). */
function isLate(cause: unknown): boolean {
  if (!(cause instanceof Error)) return false;
  const code: unknown = Reflect.get(cause, 'code');
  return code === '57014' || code === 4 || /^(?:no answer within|Query read timeout)/.test(cause.message);
}

/** Whether trying again would be answered in the same way: credentials, rights, names, statements (SQLSTATE 28, 42, 3D; gRPC 7, 16). */
function isRefusal(cause: unknown): boolean {
  const code: unknown = typeof cause === 'object' && cause !== null ? Reflect.get(cause, 'code') : undefined;
  if (typeof code === 'string' && /^(?:28|42|3D|22|0A)...$/.test(code)) return true;
  // LanceDB says what an object store answered in its text alone.
  return code === 7 || code === 16 || (cause instanceof Error && /\bstatus: 40[13]\b/.test(cause.message));
}

/** What an object store says, without the requests and signatures that it repeats; else the first line, not endless. */
function summaryOf(said: string): string {
  const [, code, message] = /<Code>([^<]*)<\/Code>\s*<Message>([^<]*)<\/Message>/.exec(said) ?? [];
  if (code !== undefined) return `${code}: ${message}`;
  const line = said.split('\n', 1)[0]!;
  return line.length > 400 ? `${line.slice(0, 400)}…` : line;
}

/** Some work, no longer than it may take, and no longer than it is wanted; what comes later is dropped. */
function within<T>(work: () => Promise<T>, timeout: number, { signal, deadline }: CallLimits): Promise<T> {
  return new Promise((resolve, reject) => {
    const left = deadline === undefined ? timeout : Math.min(timeout, deadline - performance.now());
    const late = (): void => end(() => reject(new Error(`no answer within ${Math.round(timeout)} ms`)));
    const given = (): void => end(() => reject(new Error('given up')));
    const timer = setTimeout(late, Math.max(0, left));
    signal?.addEventListener('abort', given, { once: true });
    const end = (settle: () => void): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', given);
      settle();
    };
    work().then(
      (value) => end(() => resolve(value)),
      (error: unknown) => end(() => reject(error)),
    );
  });
}
