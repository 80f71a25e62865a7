import type { Finish, Steps } from '../steps.ts';
import type { EntityId, RelationId } from './ids.ts';
import type { Prefixes } from './prefixes.ts';

/** What an entity or a forward relation is called. */
export interface NameEntry {
  /** The name the data gives it, unique among its kind: `Q142`, `/m/0f8l9c`. */
  readonly key: string;
  /** The name people give it; several may share one. */
  readonly label: string;
  readonly description?: string;
}

/** A relation's names; those of an inverse are of the forward relation, the key with `^-1` after it. */
export interface RelationEntry extends NameEntry {
  readonly inverse: boolean;
}

/** An entity that a search found. */
export interface EntityMatch extends NameEntry {
  readonly id: EntityId;
}

/** A forward relation that a search found. */
export interface RelationMatch extends NameEntry {
  readonly id: RelationId;
}

/** Which of the names that a search finds are wanted. */
export interface Page {
  /** How many. Default 10. */
  readonly limit?: number;
  /** How many of the best are passed over. Default 0. */
  readonly offset?: number;
  /** Whether names with words spelled like the text are found next to those that have it in them. Default true: it takes most of the time. */
  readonly misspelt?: boolean;
}

/** What a search found. */
export interface Matches<Match> {
  /** How many there are, whatever the page. */
  readonly total: number;
  /** Those of the page, the best first. */
  readonly results: readonly Match[];
}

/** Lines of a file that belong to entities, such as further names; texts are made of those that are asked for. */
export interface EntityRows {
  /** How many rows there are. */
  readonly count: number;
  /** The fields of the rows of an entity, without its id; none for an entity without rows. */
  of(id: number): readonly (readonly string[])[];
  /** All rows, as texts of the file. */
  texts(): Iterable<string>;
}

/** The names of a graph's entities and relations. */
export interface Vocabulary {
  readonly entityCount: number;
  /** Inverses included: twice the number of forward relations. */
  readonly relationCount: number;
  /** What prefixes in names stand for; empty for most graphs that are not from RDF. */
  readonly prefixes: Prefixes;
  /** Further names and descriptions of entities, which searches look through: `aliasesOf`. */
  readonly aliases: EntityRows;
  /** @throws FuzzError `range`: no such id. */
  entity(id: number): NameEntry;
  /** @throws FuzzError `range`: no such id. */
  relation(id: number): RelationEntry;
  /**
   * The entity of the key between the brackets of `<key>`, else of that key, else of that label, else of that label in another case if
   * only one has it, else of that further name if only one has it, else of the key that `prefix:rest` stands for.
   *
   * @throws FuzzError `vocabulary`: no such name, a label that several share, or a prefix that is not known.
   */
  findEntity(name: string): EntityId;
  /** The forward relation of that name, found like an entity; `^-1` is part of the query notations, not of names. */
  findRelation(name: string): RelationId;
  /** Whether `findRelation` finds it; the answer no is far cheaper than its error, which looks for near names. */
  hasRelation(name: string): boolean;
  /**
   * The entities with a label, key or further name that begins with the text, then has a word that does, then contains it,
   * then has words that are spelled like it; then those with a description in which a word begins with it. `<key>` and `prefix:rest` search for the key that they stand for.
   *
   * @throws FuzzError `vocabulary`: no text. `range` or `usage`: the page.
   */
  searchEntities(text: string, page?: Page): Matches<EntityMatch>;
  searchRelations(text: string, page?: Page): Matches<RelationMatch>;
  /** As `searchEntities`, in pieces: a search goes through all names. */
  searchingEntities(text: string, page?: Page): Steps<Matches<EntityMatch>>;
  searchingRelations(text: string, page?: Page): Steps<Matches<RelationMatch>>;
  /** The names that a mistyped one most likely stands for, the likeliest first; in pieces. */
  nearNames(kind: NameKind, name: string): Steps<readonly string[]>;
  /** Prepares what the first search or name that is no key would wait for, in pieces. */
  prepareSearch(): Steps<void>;
  /** Prepares what the first name that is no key would wait for, in pieces; does nothing where it is. */
  prepareNames(): Steps<void>;
  /**
   * The same names, whose errors offer the near ones that a function gives, or none where it gives undefined.
   *
   * @param index indexes labels for the first name that is no key. Default: at once.
   */
  offering(near: OfferedNames, index?: Finish): Vocabulary;
  /** The same names, whose errors offer no near ones: to look for these goes through all names. */
  readonly withoutNearNames: Vocabulary;
}

/** What names are of. */
export type NameKind = 'entity' | 'relation';

/** What is offered instead of a name that there is not. */
export type OfferedNames = (kind: NameKind, name: string) => readonly string[] | undefined;

/** The ending that names the inverse of a relation. */
export const inverseSuffix = '^-1';
