import { expectOptions, FuzzError, findEdge, type NameEntry, type Vocabulary } from '@fuzzqe/core';
import { type Attributes, createVocabulary } from '@fuzzqe/names';
import { countMirrored } from '../datasets/count-mirrored.ts';
import { createDataset } from '../datasets/dataset.ts';
import { entriesWithoutFacts, type ImportedDataset } from '../datasets/imported-dataset.ts';
import { splitByKeys } from '../datasets/split-by-keys.ts';
import { countReading, type ReadingProgress } from '../files/reading-progress.ts';
import { type SourceOptions, type Sources, withSources } from '../sources/with-sources.ts';
import type { TablePlan } from '../tables/table-plan.ts';
import { readCountedNames } from '../triples/counted-names.ts';
import { deduplicateParts } from '../triples/deduplicate-parts.ts';
import { type GatheredProvenance, gatherProvenance } from '../triples/gather-provenance.ts';
import { type GatheredLiterals, gatherLiterals } from '../triples/gathered-literals.ts';
import { isInverseName, withoutInverses } from '../triples/inverse-names.ts';
import { readNodeNames } from '../triples/node-names.ts';
import {
  createRdfNames,
  isBlankKey,
  type KnownNames,
  type RdfNameTable,
  rdfNameEntries,
} from '../triples/rdf-names.ts';
import { namesAreNumbered, namesSeemNumbered, readIdNames, readNames } from '../triples/read-names.ts';
import { type ReadTriplesOptions, readTriples } from '../triples/read-triples.ts';
import { foldInverses } from '../triples/sort-triples.ts';
import { createRdfReading, type RdfReading } from '../triples/take-quads.ts';
import { isRdf, tripleFormatOf } from '../triples/triple-format.ts';
import {
  createNameTable,
  type NameTable,
  nameEntries,
  numericIds,
  type TripleNames,
} from '../triples/triple-names.ts';
import type { LeftOut, TripleFile, UnknownNames } from '../triples/triple-sink.ts';
import { type FileForms, planFiles, type RdfOptions, rdfOptions } from './plan-files.ts';
import { spacingNotes } from './spacing-notes.ts';

/** Where the facts of a graph stand and what to call it. */
export interface ImportOptions extends FileForms, RdfOptions, SourceOptions {
  readonly name: string;
  /** SPDX identifier. Default `unknown`. */
  readonly licence?: string;
  readonly description?: string;
  /** Whether lines that cannot be read are passed over and counted. Default false. */
  readonly skipBad?: boolean;
  /**
   * What the cells of TSV and CSV hold: keys, or the ids by which the files of names number their lines. Default
   * `auto`: ids where the names are numbered and the first fact is three numbers.
   */
  readonly cells?: 'auto' | 'keys' | 'ids';
  /** A file of triples, or an address with a query: `sparql+https://…?query=…`, `postgres://…` or `neo4j://…`; so are valid and test. */
  readonly train: string;
  /** Without valid and test, training facts are held out for each. */
  readonly valid?: string;
  readonly test?: string;
  /** Files of names: `key TAB label [TAB description]`, or `id TAB key [TAB label [TAB description]]`. */
  readonly entities?: string;
  readonly relations?: string;
  /** The language of the labels and descriptions of RDF to show. Default `en`. */
  readonly language?: string;
  /** Whether numbers, dates, booleans and texts of entities are kept. Default true. */
  readonly attributes?: boolean;
  /** What to do with held-out facts about what no training fact names. Default `refuse`. */
  readonly unknown?: UnknownNames;
  /** The share of the facts to hold out for validation, and for the test as many; 0 keeps all of them for training. Default 0.1. */
  readonly holdOut?: number;
  /** Seed of the split, which depends on it and the keys of the facts alone. Default 0. */
  readonly seed?: string | number;
  readonly onProgress?: ReadingProgress;
}

/** The same with what its readers tell what they read. */
type ReadingOptions = ImportOptions & {
  readonly onRead: ((bytes: number) => void) | undefined;
  readonly rdfNames: RdfNameTable;
  readonly rdf: RdfReading;
  readonly literals: GatheredLiterals;
  readonly provenance: GatheredProvenance;
  /** The same, unless values are left out. */
  readonly values: GatheredLiterals | undefined;
  /** How each file that is a table is read. */
  readonly plans: ReadonlyMap<string, TablePlan>;
};

/**
 * Makes a dataset from files of triples, or from the answer of a SPARQL endpoint or a database.
 *
 * Entities and relations are numbered as they first appear in the training file, or as files of names number them.
 * Memory: 12 bytes a fact and the names, and 13 bytes a fact and 16 an entity more while facts are sorted and split.
 *
 * @throws FuzzError `data`: what `readTriples` and `readNames` throw. `usage`: one of valid and test without the other;
 *   a file whose ending tells no form; ids without names. `range`: a share to hold out that is not in [0, 0.5). What
 *   `withSources` throws.
 * @example
 * const imported = await importDataset({ name: 'places', train: 'places.tsv' });
 * imported.dataset.vocabulary.entityCount;
 */
export async function importDataset(given: ImportOptions): Promise<ImportedDataset> {
  expectOptions('importDataset', given, ['name', 'train']);
  expectShare(given.holdOut ?? 0.1);
  if ((given.valid === undefined) !== (given.test === undefined)) {
    throw new FuzzError('usage', 'import: expected a file for both valid and test or for neither, got one', {
      hint: 'Without both, a tenth of the training facts is held out for each.',
    });
  }
  if (given.holdOut !== undefined && given.valid !== undefined) {
    throw new FuzzError(
      'usage',
      'import: expected a share to hold out or files of held-out facts, got both',
      {
        hint: 'Leave one of them out.',
      },
    );
  }
  return withSources([given.train, given.valid, given.test], given, (sources) => importFiles(given, sources));
}

async function importFiles(asked: ImportOptions, sources: Sources): Promise<ImportedDataset> {
  const { name, licence = 'unknown', description = '', seed = 0, unknown = 'refuse', holdOut = 0.1 } = asked;
  const source = sources.addressOf(asked.train);
  const fileOf = (part: 'train' | 'valid' | 'test'): object =>
    asked[part] === undefined ? {} : { [part]: sources.fileOf(asked[part]) };
  const given: ImportOptions = {
    // Relative IRIs are those of the endpoint, not of the file that stands for it.
    ...(source?.kind === 'sparql' ? { base: source.url.origin + source.url.pathname } : {}),
    ...asked,
    ...{ ...fileOf('train'), ...fileOf('valid'), ...fileOf('test') },
  };
  const onRead = await countReading([given.train, given.valid, given.test], given.onProgress);
  const literals = gatherLiterals();
  const rdfNames = createRdfNames(given.language ?? 'en', literals);
  const values = given.attributes === false ? undefined : literals;
  const provenance = gatherProvenance();
  const rdf = createRdfReading(rdfNames, { ...rdfOptions(given), literals: values, provenance });
  const plans = await planFiles([given.train, given.valid, given.test], given, sources.titled);
  const options: ReadingOptions = { ...given, onRead, rdfNames, rdf, plans, literals, provenance, values };
  const { train, names, inverses, finish } = await ((await hasIds(options))
    ? readIds(options)
    : readKeys(options));
  const held = async (path: string | undefined): Promise<TripleFile | undefined> =>
    path === undefined ? undefined : readTriples(path, { ...howToRead(path, options), names, unknown });
  const valid = await held(options.valid);
  const test = await held(options.test);
  const { vocabulary, unusedNames, notes, attributes, lost } = await finish();
  const factsOf = (file: TripleFile | undefined): Int32Array =>
    file === undefined ? new Int32Array(0) : foldInverses(file.triples);
  const { entityCount } = vocabulary;
  const read = { train: factsOf(train), valid: factsOf(valid), test: factsOf(test) };
  // To take repetitions out puts the facts in order.
  const files = [train, valid, test].flatMap((file) =>
    file?.said === undefined ? [] : [{ triples: file.triples.slice(), said: file.said }],
  );
  const { duplicates, repeated, ...parts } = deduplicateParts(read, entityCount);
  const { provenances, notes: saidNotes } = provenance.finish({
    ...{ files, names },
    has: (...fact) => Object.values(parts).some((part) => findEdge(part, ...fact) >= 0),
  });
  const empty = entriesWithoutFacts(vocabulary, parts.train);
  const split =
    valid === undefined
      ? { ...splitByKeys(parts.train, { vocabulary, holdOut, seed }), mirrored: 0 }
      : { ...parts, ...countMirrored(parts, vocabulary) };
  const total = (count: (file: TripleFile) => number): number =>
    [train, valid, test].reduce((sum, file) => sum + (file === undefined ? 0 : count(file)), 0);
  const leftOut = (): LeftOut => ({
    literals: lost + total((file) => file.leftOut.literals),
    blankNodes: total((file) => file.leftOut.blankNodes),
    namedGraphs: total((file) => file.leftOut.namedGraphs),
    annotations: total((file) => file.leftOut.annotations),
    comments: total((file) => file.leftOut.comments),
    badLines: total((file) => file.leftOut.badLines),
  });
  return {
    dataset: createDataset({
      name,
      licence,
      description,
      vocabulary,
      train: split.train,
      valid: split.valid,
      test: split.test,
      origin: {
        ...{ format: options.format ?? tripleFormatOf(options.train), inverses },
        ...(source === undefined ? {} : { url: source.shown }),
      },
      split: valid === undefined ? 'drawn' : 'given',
      ...(attributes.rows.count === 0 ? {} : { attributes }),
      ...(provenances === undefined ? {} : { provenances }),
    }),
    queries: {},
    duplicates,
    repeated,
    mirrored: split.mirrored,
    dropped: total((file) => file.dropped),
    ...leftOut(),
    attributes: attributes.rows.count,
    furtherNames: vocabulary.aliases.count,
    blankEntities: countBlank(vocabulary),
    unusedNames,
    notes: [
      ...sources.notes,
      ...[train, valid, test].flatMap((file) => file?.notes ?? []),
      ...notes,
      ...saidNotes,
      ...spacingNotes(vocabulary),
      ...split.notes,
    ].map(sources.shown),
    ...empty,
  };
}

function expectShare(holdOut: number): void {
  if (holdOut >= 0 && holdOut < 0.5) return;
  throw new FuzzError('range', `hold out: expected a share in [0, 0.5), got ${holdOut}`, {
    hint: 'As many facts are held out for validation and for the test: 0.1 each, say.',
  });
}

/** The training facts, and the names by which the held-out facts are read. */
interface TrainingFile {
  readonly train: TripleFile;
  readonly names: TripleNames;
  /** Whether the files may state facts along inverses. */
  readonly inverses: 'added' | 'given';
  /** Names what the facts name, by all files. */
  finish(): Promise<{
    readonly vocabulary: Vocabulary;
    readonly unusedNames: readonly string[];
    readonly notes: readonly string[];
    readonly attributes: Attributes;
    /** Values of what is no entity. */
    readonly lost: number;
  }>;
}

function howToRead(path: string, options: ReadingOptions): Omit<ReadTriplesOptions, 'names'> {
  const { format = tripleFormatOf(path), skipBad, onRead, rdf, plans, values, provenance } = options;
  return { format, plan: plans.get(path), skipBad, onRead, rdf, literals: values, provenance };
}

function countBlank({ entityCount, entity }: Vocabulary): number {
  let count = 0;
  for (let id = 0; id < entityCount; id++) if (isBlankKey(entity(id).key)) count++;
  return count;
}

async function readKeys(options: ReadingOptions): Promise<TrainingFile> {
  const growing = createNameTable();
  const how = howToRead(options.train, options);
  const train = await readTriples(options.train, { ...how, names: growing });
  const names = growing.known();
  const isFromRdf = how.format !== undefined && isRdf(how.format);
  return { train, names, inverses: 'added', finish: () => nameKeys(growing, options, isFromRdf) };
}

async function nameKeys(
  growing: NameTable,
  { rdfNames, literals, ...options }: ReadingOptions,
  isFromRdf: boolean,
): ReturnType<TrainingFile['finish']> {
  const notes = rdfNames.disagreements();
  const namesIn = async (path: string | undefined): Promise<ReadonlyMap<string, NameEntry>> => {
    if (path === undefined) return new Map();
    const ofNodes = await readNodeNames(path);
    if (ofNodes !== undefined) {
      notes.push(ofNodes.note);
      return ofNodes.names;
    }
    if (!(await namesAreNumbered(path))) return readNames(path);
    return new Map((await readIdNames(path)).map((entry) => [entry.key, entry]));
  };
  const [entities, relations] = [growing.entityKeys(), growing.relationKeys()];
  const unusedNames: string[] = [];
  const ofFacts = rdfNames.known();
  /** The names of what the facts name; other lines of a file say nothing, or are misspelt. */
  const namesOf = async (keys: readonly string[], path: string | undefined): Promise<KnownNames> => {
    const found = await namesIn(path);
    const known = new Set(keys);
    const differing: string[] = [];
    for (const { key, label } of found.values()) {
      if (!known.has(key)) unusedNames.push(key);
      const stated = ofFacts.get(key)?.label;
      if (stated === undefined || stated === label) continue;
      literals.name(key, 'label', '', stated);
      differing.push(
        `${JSON.stringify(label)} is kept for ${key}, ${JSON.stringify(stated)} is a further name`,
      );
    }
    if (differing.length > 0)
      notes.push(`${path} and ${options.train} disagree on ${differing.length} labels: ${differing[0]}`);
    // Where a file names some, the names that RDF has stay those of the others.
    return found.size === 0 ? ofFacts : { get: (key) => ({ ...ofFacts.get(key), ...found.get(key) }) };
  };
  const entries = isFromRdf ? rdfNameEntries : nameEntries;
  const ofEntities = entries(entities, await namesOf(entities, options.entities));
  const { aliases, attributes, lost } = literals.finish(growing.known(), ofEntities, rdfNames);
  const vocabulary = createVocabulary({
    entities: ofEntities,
    relations: entries(relations, await namesOf(relations, options.relations)),
    ...(isFromRdf ? { prefixes: rdfNames.prefixesOf(entities, relations) } : {}),
    aliases,
  });
  return { vocabulary, unusedNames, notes, attributes, lost };
}

async function readIds(options: ReadingOptions): Promise<TrainingFile> {
  const { entities, relations } = options;
  if (entities === undefined || relations === undefined) {
    throw new FuzzError('usage', 'import of ids: expected files with the names of entities and relations', {
      hint: 'Their lines are: id TAB key [TAB label].',
    });
  }
  const namesIn = async (path: string): Promise<NameEntry[]> =>
    (await readCountedNames(path)) ?? (await readIdNames(path));
  const written = await namesIn(relations);
  const [first, second] = written;
  const withInverses = second !== undefined && isInverseName(first!.key, second.key);
  const vocabulary = createVocabulary({
    entities: await namesIn(entities),
    relations: withInverses ? withoutInverses(written, relations) : written,
  });
  const { entityCount, relationCount } = vocabulary;
  const names = numericIds({ entityCount, relationCount, forwardOnly: !withInverses });
  const train = await readTriples(options.train, { ...howToRead(options.train, options), names });
  const areGiven = withInverses && someInverse(train.triples);
  return {
    train,
    names,
    inverses: areGiven ? 'given' : 'added',
    async finish() {
      const ofEntities = Array.from({ length: entityCount }, (_, id) => vocabulary.entity(id));
      const { attributes, lost } = options.literals.finish(names, ofEntities, options.rdfNames);
      return { vocabulary, unusedNames: [], notes: [], attributes, lost };
    },
  };
}

/** Whether a fact stands along an inverse, which has an odd id. Shapes: [3 n]. */
function someInverse(triples: Int32Array): boolean {
  for (let at = 1; at < triples.length; at += 3) if (triples[at]! % 2 === 1) return true;
  return false;
}

async function hasIds({
  cells = 'auto',
  entities,
  relations,
  train,
  plans,
}: ReadingOptions): Promise<boolean> {
  if (cells !== 'auto') return cells === 'ids';
  const plan = plans.get(train);
  if (entities === undefined || relations === undefined || plan === undefined) return false;
  for (const path of [entities, relations])
    if (!(await namesSeemNumbered(path)) && (await readCountedNames(path)) === undefined) return false;
  const [columns] = plan.facts;
  if (columns === undefined || plan.sample === undefined) return false;
  return [columns.head, columns.relation, columns.tail].every(
    (field) => typeof field === 'number' && /^\d+$/.test(plan.sample?.[field] ?? ''),
  );
}
