import type { ModelInfo, NameListing, StructureListing } from '@fuzzqe/api';
import type { QuestionListing } from '@fuzzqe/api/words';
import { FuzzError, messageOf } from '@fuzzqe/core';
import type { Query } from '@fuzzqe/core/query';
import type {
  EntityDescription,
  EntityOptions,
  NextRelations,
  PatternAnswer,
  SetsAnswer,
} from '@fuzzqe/engine';
import type { AskSettings } from '../question/settings.ts';
import type { Judging } from './judging.ts';

/** An answer and how long it took to come. */
export interface TimedAnswer<Answer = SetsAnswer> {
  readonly answer: Answer;
  /** From the question to the whole answer, in milliseconds, the way there and back included. */
  readonly ms: number;
}

/** Which names are wanted. */
export interface NameSearch {
  readonly limit?: number;
  readonly offset?: number;
  readonly signal?: AbortSignal;
}

/** How a question is asked; by default as is usual. */
export interface AskOptions extends Partial<AskSettings> {
  readonly signal?: AbortSignal;
}

/** The pattern that a question in words means. */
export interface WordsPattern {
  readonly by: 'templates' | 'translator';
  /** Whether the question asks how many. */
  readonly count: boolean;
  /** In the text notation. */
  readonly text: string;
}

/** Which part of a page about an entity is wanted. */
export type PageOptions = Pick<EntityOptions, 'limit' | 'offset' | 'recorded' | 'predicted' | 'signal'>;

/**
 * Whatever answers the questions of the page: a server, or this browser.
 *
 * Everything rejects with a SourceError, except what its signal aborts.
 */
export interface AnswerSource {
  /** Where answers are computed. */
  readonly kind: 'server' | 'browser';
  /** The models that can be asked, the default first. */
  models(signal?: AbortSignal): Promise<readonly ModelInfo[]>;
  /** Entities whose name begins with a text, contains it or is spelled like it; best first. */
  names(text: string, search?: NameSearch): Promise<NameListing>;
  /** Every relation, forward ones only; an inverse has the next id. */
  relations(signal?: AbortSignal): Promise<NameListing['results']>;
  /** Questions over the graph: one of each of the 14 query structures, and patterns. */
  examples(signal?: AbortSignal): Promise<StructureListing>;
  /** Answers by fuzzy sets, with what every part holds and the links that support each answer. */
  ask(query: Query, options?: AskOptions): Promise<TimedAnswer>;
  /** Answers to a pattern of variables in the text notation, with the links that support each; counted on request. */
  match(pattern: string, options?: AskOptions & { count?: boolean }): Promise<TimedAnswer<PatternAnswer>>;
  /** The questions in words that templates know; nothing where the source reads no words. */
  questions(signal?: AbortSignal): Promise<QuestionListing | undefined>;
  /** The pattern that a question in words means; it is not answered. */
  translate(question: string, signal?: AbortSignal): Promise<WordsPattern>;
  /** The relations that lead on from the best answers to a query, counted. */
  following(query: Query, signal?: AbortSignal): Promise<NextRelations>;
  /** The facts of an entity, by id or name, and the best new ones of each relation. */
  page(entity: number | string, options?: PageOptions): Promise<EntityDescription>;
  /** Where verdicts on links are written; nothing where the source takes no facts. */
  judging(signal?: AbortSignal): Promise<Judging | undefined>;
  /** Lets go of whatever it holds; nothing is asked afterwards. */
  close(): Promise<void>;
}

/** What kept a source from answering. */
export type SourceFault =
  | 'unreachable' // nothing answers
  | 'key' // the server asks for a key
  | 'busy' // too many ask at once
  | 'refused' // the question, with the reason
  | 'failed'; // the source itself

/** Why a source did not answer, in words for whoever asked. */
export class SourceError extends Error {
  override readonly name = 'SourceError';
  readonly fault: SourceFault;
  /** How to mend it. */
  readonly hint: string | undefined;
  /** Whether the caller may not do what was asked. */
  readonly isForbidden: boolean;

  constructor(
    fault: SourceFault,
    message: string,
    options: { hint?: string | undefined; cause?: unknown; isForbidden?: boolean } = {},
  ) {
    super(message, { cause: options.cause });
    this.fault = fault;
    this.hint = options.hint;
    this.isForbidden = options.isForbidden ?? false;
  }
}

/** What went wrong, in words, whatever it was. */
export function faultOf(error: unknown): SourceError {
  if (error instanceof SourceError) return error;
  if (error instanceof FuzzError && ['query', 'vocabulary', 'range', 'usage'].includes(error.code))
    return new SourceError('refused', error.message, { hint: error.hint, cause: error });
  return new SourceError('failed', messageOf(error), { cause: error });
}
