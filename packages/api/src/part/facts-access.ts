import type { CallLimits, NamedConflict, ReadOptions } from '@fuzzqe/engine';
import type { Context } from 'hono';
import type { ApiEnv } from './api-part.ts';

/** A change of a fact by the names of a request. */
export interface GivenChange {
  readonly does: 'add' | 'remove' | 'reject';
  readonly head: string;
  readonly relation: string;
  readonly tail: string;
  readonly source?: string;
  readonly date?: string;
  readonly confidence?: number;
  readonly from?: string;
  readonly until?: string;
  /** Of a judgement: the degree that the link had before. */
  readonly said?: number;
  /** Where the change stands in the request: `line 3`, `$.add[2]`. */
  readonly place: string;
}

/** Who writes facts, and how often. */
export interface GivenWriter {
  /** The name of a key. */
  readonly by?: string | undefined;
  /** Tells a repeated write from a new one. */
  readonly idempotencyKey?: string | undefined;
  /** How names are looked for. Default: without limits. */
  readonly reading?: ReadOptions;
  /** Whether names that the graph lacks become entities and relations of it. Default: false. */
  readonly create?: boolean | undefined;
}

/** What a write of facts came to. */
export interface WrittenFacts {
  /** Epoch of the store at which the write is durable and visible. */
  readonly epoch: number;
  /** Facts that the graph did not have. */
  readonly added: number;
  /** Facts, and rejections of links, that the graph had. */
  readonly removed: number;
  /** Links that were not rejected before. Default: 0. */
  readonly rejected?: number;
  /** Changes that leave the graph as it was. */
  readonly unchanged: number;
  /** Whether an earlier write had the same idempotency key, so that nothing was written. */
  readonly repeated: boolean;
  /** Entities and relations that the graph did not have. Default: 0. */
  readonly created?: number;
}

/** A fact that somebody accepts, by keys, and what speaks against it. */
export interface LinkConflict {
  readonly head: string;
  readonly relation: string;
  readonly tail: string;
  readonly kind: NamedConflict['kind'] | 'rejected';
  /** What speaks against the fact, for people. */
  readonly message: string;
}

/** What judgements of links came to. */
export interface WrittenJudgements {
  /** Of the facts that are accepted. */
  readonly conflicts: readonly LinkConflict[];
  /** Undefined where conflicts kept all judgements from being written. */
  readonly written: WrittenFacts | undefined;
}

/** Which links are proposed for a judgement. */
export interface NextOptions {
  /** How many, in [1, 100]. Default 20. */
  readonly limit?: number | undefined;
  /** Links of this entity alone, by a name as queries have it. */
  readonly entity?: string | undefined;
  /** Links of this relation alone. */
  readonly relation?: string | undefined;
}

/** A name with its key. */
interface Named {
  readonly key: string;
  readonly label: string;
}

/** A link that is worth a judgement. */
export interface NextJudgement {
  readonly head: Named;
  readonly relation: Named;
  readonly tail: Named;
  /** How likely the link is a fact, in [0.01, 1). */
  readonly degree: number;
  /** How much a judgement teaches, in (0, 1]. */
  readonly teaches: number;
  /** What would speak against the fact, for people. */
  readonly conflicts: readonly string[];
}

/** What an entity is called from a write on; null takes a part back to what the bundle has. */
export interface GivenNames {
  readonly key: string;
  readonly label?: string | null;
  readonly aliases?: readonly { readonly text: string }[] | null;
  readonly attributes?: readonly {
    readonly key: string;
    readonly values: readonly { readonly value: string }[] | null;
  }[];
}

/** The changes of one write, as a store keeps them. */
export interface GivenBatch {
  readonly epoch: number;
  /** When the changes were written, in ISO 8601. */
  readonly at: string;
  readonly by?: string | undefined;
  readonly names?: readonly GivenNames[];
  readonly changes: readonly Omit<GivenChange, 'place'>[];
}

/** Facts that change while they are served, for the entry points of an application. */
export interface FactsAccess {
  readonly store: {
    readonly id: string;
    readonly epoch: number;
    /** The batches after an epoch. */
    since(epoch: number): AsyncIterable<GivenBatch>;
  };
  /** What a caller needs to write, for people; undefined for a caller who may write. */
  refusalOf(caller: unknown): string | undefined;
  /** The writer by the headers of a request. Throws: RequestError `forbidden`, `conflict`; FuzzError `usage`. */
  writerOf(request: Context<ApiEnv>): Pick<GivenWriter, 'by' | 'idempotencyKey'>;
  /** Puts the epoch and the id of the store into the headers of an answer. */
  tellEpoch(request: Context<ApiEnv>, epoch: number): void;
  /** Writes changes as one batch: durable first, then visible. Throws: `vocabulary`, `range`, `storage`, `runtime`. */
  write(changes: readonly GivenChange[], writer?: GivenWriter): Promise<WrittenFacts>;
  /** Writes what `read` makes of the facts as they are; no other write comes between. Throws: what `read` and `write` throw. */
  update(read: () => Promise<readonly GivenChange[]>, writer?: GivenWriter): Promise<WrittenFacts>;
  /**
   * Accepts and rejects links as one update, each with the degree that the link had before. Conflicts of accepted facts keep all
   * from being written, unless conflicts are accepted. Throws: what `update` throws.
   */
  judge(
    judgements: readonly GivenChange[],
    conflicts: 'refuse' | 'accept',
    writer?: GivenWriter,
  ): Promise<WrittenJudgements>;
  /** The links whose judgement would teach most. Throws: FuzzError `vocabulary`: a name that the graph lacks. */
  next(options: NextOptions, reading: ReadOptions & CallLimits): Promise<readonly NextJudgement[]>;
}
