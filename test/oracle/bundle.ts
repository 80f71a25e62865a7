import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OracleFact } from './answers.ts';
import type { OracleRule, OracleWeights } from './evidence.ts';
import { type OracleModel, type OracleTables, relationOf } from './model.ts';
import type { OracleProjection, OracleSets } from './sets.ts';

/** A line of a vocabulary file. */
export interface OracleName {
  readonly id: number;
  readonly key: string;
  readonly label: string;
  readonly description: string | undefined;
}

/** One golden case. */
export interface OracleGolden {
  readonly structure: string;
  readonly anchors: readonly number[];
  readonly relations: readonly number[];
  readonly embedding: readonly number[];
  readonly ids: readonly number[];
  readonly scores: readonly number[];
  readonly sets: { readonly ids: readonly number[]; readonly degrees: readonly number[] } | null;
}

/** What a bundle with the profile fp32 holds, read by docs/bundle-format.md. */
export interface OracleBundle {
  readonly model: OracleModel;
  readonly tables: OracleTables;
  /** `entityInverseLengths`; undefined where the bundle has none. */
  readonly inverseLengths: readonly number[] | undefined;
  readonly sets: OracleSets;
  readonly entities: readonly OracleName[];
  readonly relations: readonly OracleName[];
  /** The IRIs of prefixes, by the prefix with its colon; none where the bundle has no such file. */
  readonly prefixes: ReadonlyMap<string, string>;
  readonly golden: { readonly k: number; readonly cases: readonly OracleGolden[] };
}

interface ManifestJson {
  readonly format: string;
  readonly version: number;
  readonly sha256: string;
  readonly model: OracleModel;
  readonly sets: { readonly projection: OracleProjection };
  readonly profiles: Readonly<Record<'fp32', { readonly golden: string }>>;
  readonly files: Readonly<Record<string, { readonly bytes: number; readonly sha256: string }>>;
}

/** Reads a bundle after its digests. Throws Error where a digest or the size of a file is not the manifest's. */
export function readOracleBundle(folder: string): OracleBundle {
  const text = readFileSync(join(folder, 'manifest.json'), 'utf8');
  // as: the oracle reads bundles that the tests have made, and what is not there fails where it is used.
  const manifest = JSON.parse(text) as ManifestJson;
  if (manifest.format !== 'fuzzqe-bundle' || manifest.version !== 6)
    throw new Error('no bundle of version 6');
  if (sha256(text.replace(manifest.sha256, '0'.repeat(64))) !== manifest.sha256)
    throw new Error('manifest.json was altered');
  const file = (path: string): Buffer => {
    const bytes = readFileSync(join(folder, path));
    const entry = manifest.files[path];
    if (entry?.bytes !== bytes.length || entry.sha256 !== sha256(bytes))
      throw new Error(`${path} was altered`);
    return bytes;
  };
  for (const path of Object.keys(manifest.files)) file(path);
  return {
    model: manifest.model,
    ...weightsOf(manifest.model, file('models/fp32/weights.bin')),
    sets: {
      ...weightsIn(file('evidence.json')),
      rules: rulesIn(manifest.model, file('rules.tsv')),
      facts: factsOf(file('facts.bin')),
      entailed: 'entailed.bin' in manifest.files ? factsOf(file('entailed.bin')) : [],
      recordedShare: 0,
      projection: manifest.sets.projection,
    },
    entities: namesOf(file('vocabulary/entities.tsv')),
    relations: namesOf(file('vocabulary/relations.tsv')),
    prefixes:
      'vocabulary/prefixes.tsv' in manifest.files ? prefixesOf(file('vocabulary/prefixes.tsv')) : new Map(),
    // as: the same.
    golden: JSON.parse(file(manifest.profiles.fp32.golden).toString('utf8')) as OracleBundle['golden'],
  };
}

/** The tensors of weights.bin in the order of their names, by the rules of alignment. */
function weightsOf(model: OracleModel, bytes: Buffer): Pick<OracleBundle, 'tables' | 'inverseLengths'> {
  const { entities, relations, dimension: d, entityNormalisation } = model;
  let end = 0;
  const next = (count: number, read = (at: number): number => bytes.readFloatLE(at)): number[] => {
    const step = 4 * count >= 65_536 ? 4096 : 64;
    const begin = Math.ceil(end / step) * step;
    for (let at = end; at < begin; at += 1)
      if (bytes[at] !== 0) throw new Error(`weights.bin: byte ${at} of a gap is not 0`);
    end = begin + 4 * count;
    return Array.from({ length: count }, (_, i) => read(begin + 4 * i));
  };
  const integers = (count: number): number[] => next(count, (at) => bytes.readInt32LE(at));
  const vectors = rowsOf(next(entities * d), d);
  if (model.relationForm === 'blocks') {
    const coefficients = next(relations * d);
    const width = Math.min(256, entities);
    const domains =
      model.projectionInput === 'domain' ? [integers(relations * width), next(relations * width)] : [];
    const [heads, tails] = domains.map((table) => rowsOf(table, width));
    if (end !== bytes.length) throw new Error(`weights.bin: ${bytes.length} bytes, expected ${end}`);
    const relation = (id: number) => relationOf(model, { entities: [], coefficients }, id);
    const domain = (id: number) => ({ heads: heads![id]!, tails: tails![id]! });
    return { tables: { entities: vectors, relation, domain }, inverseLengths: undefined };
  }
  const inverseLengths = entityNormalisation === 'l1' ? next(entities) : undefined;
  const biases = rowsOf(next(relations * d), d);
  const weights = rowsOf(next(relations * d * d), d);
  if (end !== bytes.length) throw new Error(`weights.bin: ${bytes.length} bytes, expected ${end}`);
  const relation = (id: number) => ({ weights: weights.slice(id * d, (id + 1) * d), bias: biases[id]! });
  return { tables: { entities: vectors, relation, domain: noDomain }, inverseLengths };
}

function noDomain(): never {
  throw new Error('a model by bases has no centroids');
}

function weightsIn(bytes: Buffer): OracleWeights {
  // as: what is not there fails where it is used.
  const { format, version, ...weights } = JSON.parse(bytes.toString('utf8')) as OracleWeights & {
    readonly format: string;
    readonly version: number;
  };
  if (format !== 'fuzzqe-evidence' || version !== 1) throw new Error('evidence.json: another format');
  return weights;
}

function rulesIn({ entities, relations }: OracleModel, bytes: Buffer): OracleRule[] {
  const [first, ...lines] = bytes.toString('utf8').split('\n');
  if (lines.pop() !== '') throw new Error('rules.tsv: the last line has no end');
  if (!first!.startsWith(`fuzzqe-rules\t1\t${entities}\t${relations}\t`))
    throw new Error('rules.tsv: of another graph');
  return lines.map((line) => {
    const [relation, hits, predictions, body] = line.split('\t');
    const counts = { relation: Number(relation), hits: Number(hits), predictions: Number(predictions) };
    const [kind, ...words] = body!.split(' ');
    const ids = words.map(Number);
    if (kind === 'path') return { ...counts, path: ids };
    return { ...counts, constant: [ids[0]!, ids[1]!, ids[2]!] };
  });
}

function rowsOf(numbers: readonly number[], width: number): number[][] {
  const rows: number[][] = [];
  for (let at = 0; at < numbers.length; at += width) rows.push(numbers.slice(at, at + width));
  return rows;
}

function rowsOfTsv(bytes: Buffer): string[][] {
  const lines = bytes.toString('utf8').split('\n');
  if (lines.pop() !== '') throw new Error('the last line has no end');
  return lines.map((line) => line.split('\t').map(unescaped));
}

function prefixesOf(bytes: Buffer): Map<string, string> {
  const rows = rowsOfTsv(bytes);
  if (rows.length === 0 || rows.some((row) => row.length !== 2 || !row[0]!.endsWith(':') || row[1] === ''))
    throw new Error('prefixes.tsv: no prefix or no IRI');
  return new Map(rows.map(([prefix, iri]) => [prefix!, iri!]));
}

function namesOf(bytes: Buffer): OracleName[] {
  return rowsOfTsv(bytes).map(([id, key, label, description]) => {
    return { id: Number(id), key: key!, label: label! || key!, description };
  });
}

function unescaped(field: string): string {
  const characters: Readonly<Record<string, string>> = { t: '\t', n: '\n', r: '\r', '\\': '\\' };
  return field.replace(/\\(.)/g, (_, letter: string) => characters[letter]!);
}

function factsOf(bytes: Buffer): OracleFact[] {
  const facts: OracleFact[] = [];
  for (let at = 0; at < bytes.length; at += 12)
    facts.push([bytes.readInt32LE(at), bytes.readInt32LE(at + 4), bytes.readInt32LE(at + 8)]);
  return facts;
}

function sha256(data: string | Buffer): string {
  return createHash('sha256').update(data).digest('hex');
}
