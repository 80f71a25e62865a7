import { messageOf } from '@fuzzqe/core';
import type { Query } from '@fuzzqe/core/query';
import type {
  EntityDescription,
  EntityOptions,
  Exclusion,
  NextRelations,
  PatternAnswer,
  SetsAnswer,
} from '@fuzzqe/engine';
import type { ModelInfo, NameListing, StructureInfo } from '@fuzzqe/engine/api';
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

/** How a question is asked. */
export interface AskOptions {
  /** How many answers. Default 10. */
  readonly k?: number;
  /** `known` leaves out what is recorded. Default `none`. */
  readonly exclude?: Exclusion;
  /** The least degree of an answer. Default 0.5. */
  readonly minDegree?: number;
  readonly signal?: AbortSignal;
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
  /** The 14 query structures, each with an example of the graph. */
  structures(signal?: AbortSignal): Promise<readonly StructureInfo[]>;
  /** Answers by fuzzy sets, with what every part holds and the links that support each answer. */
  ask(query: Query, options?: AskOptions): Promise<TimedAnswer>;
  /** Answers to a pattern of variables in the text notation, with the links that support each; counted on request. */
  match(pattern: string, options?: AskOptions & { count?: boolean }): Promise<TimedAnswer<PatternAnswer>>;
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
  return new SourceError('failed', messageOf(error), { cause: error });
}
