import { withoutSecrets } from './without-secrets.ts';

/** What went wrong, as a closed set that every surface (CLI exit code, HTTP status) maps in one table. */
export type FuzzErrorCode =
  | 'usage' // a command, option or request that makes no sense
  | 'range' // a number outside its range (ids, k, sizes)
  | 'query' // a query that cannot be read or is not a query
  | 'cost' // a query that would take more than one may take
  | 'vocabulary' // an entity or relation that the graph does not have
  | 'data' // an input file that does not have the promised form
  | 'storage' // a disk that is full, or a place where nothing can be written
  | 'config' // a configuration key or value
  | 'shape' // tensors that do not fit together: a defect of the caller's program
  | 'checkpoint' // a checkpoint that is damaged or belongs to something else
  | 'bundle' // a bundle that is damaged, incomplete or too new
  | 'parity' // answers that differ between runtimes by more than the tolerance
  | 'runtime' // a runtime, device or port that is not available, or that gives what it should not
  | 'overloaded' // more work is waiting than may wait: the same request may be taken later
  | 'deadline' // the time that a request may take has passed
  | 'interrupted'; // stopped by the user, safely

/** Where and how to fix an error, in addition to its message. */
export interface FuzzErrorDetails {
  /** Where in the input: a JSON path (`$.query.and[1]`), a file with its line (`train.tsv:12`), a node's name. */
  readonly path?: string;
  /** What the reader can do about it. */
  readonly hint?: string;
  /** In how many seconds the same may be asked again, where that can be told. */
  readonly retryAfter?: number;
  /** What callers of a server may know of its fault, whose own words are for its log alone. */
  readonly toCallers?: string;
  /**
   * Whether it passes by itself, so that the same may be asked again: memory that ran out, a thread that is being replaced. Default: only
   * what is overloaded, late or interrupted does; all else lasts until somebody mends it.
   */
  readonly passing?: boolean;
  readonly cause?: unknown;
}

/**
 * The one error that this project throws on purpose.
 *
 * Its message says what was expected and what was found; `path` says where; `hint` says how to mend it. Each is cut to 2000
 * characters, since what was found may be a file in one line, and shows addresses without their secrets.
 */
export class FuzzError extends Error {
  /** `AbortError` if the work was stopped (code `interrupted`), as functions of the platform name it. */
  override readonly name: 'FuzzError' | 'AbortError';
  readonly code: FuzzErrorCode;
  readonly path: string | undefined;
  readonly hint: string | undefined;
  readonly retryAfter: number | undefined;
  readonly toCallers: string | undefined;
  readonly passing: boolean;

  constructor(code: FuzzErrorCode, message: string, details: FuzzErrorDetails = {}) {
    super(shown(message), details.cause === undefined ? undefined : { cause: details.cause });
    this.name = code === 'interrupted' ? 'AbortError' : 'FuzzError';
    this.code = code;
    this.path = details.path === undefined ? undefined : shown(String(details.path));
    this.hint = details.hint === undefined ? undefined : shown(details.hint);
    this.retryAfter = details.retryAfter;
    this.toCallers = details.toCallers === undefined ? undefined : shown(details.toCallers);
    this.passing = details.passing ?? ['overloaded', 'deadline', 'interrupted'].includes(code);
  }

  /** Where, what and how to mend it, as the lines a person reads. */
  override toString(): string {
    const where = this.path === undefined ? '' : `${this.path}: `;
    const fix = this.hint === undefined ? '' : `\n  ${this.hint}`;
    return `${where}${this.message}${fix}`;
  }
}

const longestText = 2000;

/** A text for people: without the secrets of addresses, and only its beginning, with how much was left out, where it is long. */
function shown(text: string): string {
  // More than is shown, so that no address is cut where it says what is secret in it.
  const beginning = withoutSecrets(text.slice(0, 2 * longestText));
  if (text.length <= longestText) return beginning;
  // Never between the halves of a character.
  const end = /[\uD800-\uDBFF]/.test(beginning[longestText - 1] ?? '') ? longestText - 1 : longestText;
  return `${beginning.slice(0, end)}… (${text.length - end} more characters)`;
}

/** What anything that was thrown says: the message of an error, or the value as text. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
