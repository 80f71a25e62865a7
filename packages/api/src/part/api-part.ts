import type { Vocabulary } from '@fuzzqe/core';
import type { Answer, CallLimits } from '@fuzzqe/engine';
import type { Hono, MiddlewareHandler } from 'hono';
import type { ModelRegistry } from '../models/model-registry.ts';
import type { Declare } from './declaration.ts';
import type { FactsAccess } from './facts-access.ts';

/** What handlers and middleware of the API find in a request's context. */
export interface ApiEnv {
  Variables: {
    requestId: string;
    /** Anything that is the same for all requests of one caller, who share turns where queries wait; set by middleware. */
    caller?: unknown;
    /** What the request was about, for logs and metrics; absent until it is known. */
    subject?: RequestSubject;
  };
}

/** What a request was about. */
export interface RequestSubject {
  readonly model: string;
  readonly version: string;
  /** How its query was answered. */
  readonly mode?: string;
  /** Milliseconds of one core that its query may take, by the model of costs; for those who charge it. Of a batch, those of all lines read so far. */
  readonly cost?: number;
  /** The structure of its query, or `other`. */
  readonly structure?: string;
}

/** Stands before every route: it may answer by itself, or look at what is answered. */
export type ApiMiddleware = MiddlewareHandler<ApiEnv>;

/**
 * Hears of what is the server's fault: of a whole answer, whose status says so, or of a part of one that has another status, such as
 * a line of a batch.
 */
export type FaultListener = (error: unknown, requestId: string, of: 'answer' | 'part') => void;

/** What parts of an application share. */
export interface ApiContext {
  readonly models: ModelRegistry;
  /** The largest body, in bytes. */
  readonly bodyLimit: number;
  /** The most answers a query may ask for. */
  readonly maxK: number;
  /** The most milliseconds of one core that a query may take, by the model of costs. */
  readonly costLimit: number;
  /** The longest that a query may take, in milliseconds. */
  readonly timeout: number;
  readonly writeAnswer: AnswerWriter;
  /** What a batch may hold. */
  readonly batch: {
    readonly body: number;
    readonly lines: number;
    readonly atOnce: number;
    /** Milliseconds of one core, for all lines together. */
    readonly cost: number;
  };
  /** Facts that change while they are served; undefined: facts stay as they are. */
  readonly facts: FactsAccess | undefined;
  /** Hears of what is the server's fault. */
  readonly onError: FaultListener;
  /** All parts that are mounted. */
  readonly parts: readonly ApiPart[];
  /** Every route of the application, once it is whole; a parameter as `:name`. */
  readonly routes: () => readonly ApiRoute[];
}

/** Writes an answer as JSON, letter by letter that of `JSON.stringify`. Throws what the limits say. */
export type AnswerWriter = (answer: Answer, vocabulary: Vocabulary, limits: CallLimits) => Promise<string>;

/** One method of one path. */
export interface ApiRoute {
  readonly method: string;
  readonly path: string;
}

/** A part of an application that is there only where it is mounted: a protocol, documents, a page. */
export interface ApiPart {
  /** Where its routes begin: `/sparql`, or `/` for routes at several places. */
  readonly path: string;
  /**
   * Its routes. What they throw becomes a problem, unless they have an `onError` of their own; a path with another method is
   * answered 405 by the application.
   */
  routes(context: ApiContext): Hono<ApiEnv>;
  /** Whether a path is answered without a key, where keys are asked for: files of a page, say. Default: none is. */
  isOpen?(path: string): boolean;
  /** What the root says there is, as `GET /sparql`: its meaning. */
  readonly endpoints?: Readonly<Record<string, string>>;
  /** The page below the root that browsers get at the root, such as `playground/`; the first part with one is taken. */
  readonly home?: string;
  /** What it reads and answers, for documents; every route has to be in it. */
  readonly declare?: Declare;
}
