import { type ManifestOptions, modesOf, profileOf, readGolden, type Tolerance } from '@fuzzqe/bundle';
import { createRandom, expectOptions, FuzzError } from '@fuzzqe/core';
import type { LogicName } from '@fuzzqe/core/logic';
import { formatQuery, instantiate, nodesOf, type Query, structures, type Template } from '@fuzzqe/core/query';
import { type BundleEngine, openEngine, type TensorValue } from '@fuzzqe/engine';
import { traitsOf } from '@fuzzqe/model';
import { bundleFolder, folderSource, nodeSessions } from '@fuzzqe/serve';
import { type LawSides, type Violation, violationOf } from './check-law.ts';
import { type OperatorGraphs, openOperatorGraphs, sidesOfDegrees } from './graph-sides.ts';
import { type Law, writtenSides } from './law.ts';
import { paperLaws } from './laws.ts';

/** The two sides of a law in one bundle, as far as they may be apart. */
export const lawTolerances: Readonly<Record<'ofScores' | 'ofDegrees', Tolerance>> = {
  /** After scoring: the roundings of an embedding, summed with the weights of an entity (‖p_e‖₁ ≤ √d). */
  ofScores: { absolute: 5e-6, relative: 0 },
  /** Of fuzzy sets: roundings of numbers in [0, 1], and of links that ran with others. */
  ofDegrees: { absolute: 1e-6, relative: 0 },
};

/** Queries and an entity for which a law does not hold. */
export interface CounterExample {
  /** The queries a, b and c, as far as the law has them. */
  readonly queries: readonly string[];
  readonly entity: string;
  /** Both sides of the claim that fails as the law writes them: `['a ∧ b', 'a']`. */
  readonly sides: readonly [left: string, right: string];
  /** Their values for the entity. */
  readonly left: number;
  readonly right: number;
}

/** Whether a law holds, as far as it was looked for. */
export interface LawFinding {
  /** On how many choices of queries, for every entity of each. */
  readonly choices: number;
  /** Where it fails by most; undefined where it was not broken. */
  readonly broken?: CounterExample;
}

/** A law and how a bundle keeps it. */
export interface LawRow extends Pick<Law, 'name' | 'statement'> {
  readonly numeral: string;
  /** By φ(q, e), through the exported operators and the ranking; undefined where the model embeds no query of the law. */
  readonly embedding?: LawFinding;
  /** By the degrees of fuzzy sets; undefined where the bundle has no sets. */
  readonly sets?: LawFinding;
}

/** How a bundle keeps the laws of the paper's table. */
export interface LawReport {
  readonly bundle: string;
  readonly profile: string;
  readonly logic: LogicName;
  /** λ of ¬ in embeddings; null if the family has no ¬, or ¬ without λ. */
  readonly negationLambda: number | null;
  readonly laws: readonly LawRow[];
}

/** Which bundle to put to the test. */
export interface LawOptions extends ManifestOptions {
  readonly bundle: string;
  /** Default: that of the engine. */
  readonly profile?: string;
  /** How many choices of queries each law is tried on. Default 48. */
  readonly choices?: number;
  /** Default 1. */
  readonly seed?: number;
  /** Whether files are compared with the manifest. Default true. */
  readonly verify?: boolean;
  readonly onProgress?: (done: number, total: number, what: string) => void;
  readonly signal?: AbortSignal;
}

/**
 * Looks for queries that break the eight laws of the paper's table, in both modes of a bundle.
 *
 * A law is a property of φ(q, e): law I says φ(a ∧ b, e) ≤ φ(a, e) for all queries a, b and entities e. A law of which no
 * choice of queries is a counter-example holds as far as it was tried.
 *
 * Source: FuzzQE, table of logic laws and model properties.
 *
 * @throws FuzzError `bundle`: the bundle is damaged, or not signed as it has to be. `usage`: it has no such profile. `range`: a number that is no
 * positive integer. `interrupted`: the signal was raised.
 * @example
 * const { laws } = await checkLaws({ bundle: 'bundles/mine' });
 * laws.filter(({ embedding }) => embedding?.broken !== undefined).map(({ numeral }) => numeral); // []
 */
export async function checkLaws(options: LawOptions): Promise<LawReport> {
  expectOptions('checkLaws', options, ['bundle']);
  const { bundle, profile, choices = 48, seed = 1, onProgress, signal, ...trust } = options;
  if (!Number.isInteger(choices) || choices < 1)
    throw new FuzzError('range', `choices: expected an integer >= 1, got ${choices}`, { path: 'choices' });
  const folder = await bundleFolder(bundle);
  const [source, sessions] = [folderSource(folder), nodeSessions(folder)];
  const engine = await openEngine({
    source,
    sessions,
    ...trust,
    ...(profile === undefined ? {} : { profile }),
  });
  try {
    const { manifest } = engine;
    const name = engine.profile;
    const graphs = await openOperatorGraphs({ sessions, source }, profileOf(manifest, name), manifest.model);
    try {
      const golden = await readGolden(source, manifest, name);
      const { distances = 'trees', only } = traitsOf(manifest.model);
      const beyond = beyondAlternatives[distances];
      const queries = golden.cases
        .filter(({ structure }) => distances === 'trees' || !hasUnion(structures[structure].template))
        .map(({ structure, anchors, relations }) =>
          instantiate(structures[structure].template, anchors, relations),
        );
      const tried = await createTrials(engine, graphs, queries, { choices, seed });
      const hasSets = modesOf(manifest).includes('sets');
      const laws: LawRow[] = [];
      for (const [i, law] of paperLaws.entries()) {
        if (signal?.aborted)
          throw new FuzzError('interrupted', `laws: stopped at ${i} of ${paperLaws.length} laws`);
        const { numeral = '', name: called, statement } = law;
        onProgress?.(i, paperLaws.length, called);
        laws.push({
          ...{ numeral, name: called, statement },
          ...(only !== undefined || beyond.some((each) => each === numeral)
            ? {}
            : { embedding: await tried.byScores(law) }),
          ...(hasSets ? { sets: await tried.byDegrees(law) } : {}),
        });
      }
      onProgress?.(paperLaws.length, paperLaws.length, '');
      const { logic, negationLambda } = manifest.model;
      const lambda = only || traitsOf(manifest.model).distances ? null : negationLambda;
      return { bundle: manifest.name, profile: name, logic, negationLambda: lambda, laws };
    } finally {
      await graphs.close();
    }
  } finally {
    await engine.close();
  }
}

/** The laws of three alternatives and of ¬, by which queries a family by distances embeds. */
const beyondAlternatives = { positive: ['VI', 'VII', 'VIII'], signed: ['VI'], trees: [] } as const;

const hasUnion = (template: Template): boolean => nodesOf(template).some(({ op }) => op === 'or');

/** How many choices of queries run together. */
const together = 8;

/** Tries laws on queries of a bundle, `together` choices at once. */
async function createTrials(
  engine: BundleEngine,
  graphs: OperatorGraphs,
  queries: readonly Query[],
  { choices, seed }: { readonly choices: number; readonly seed: number },
) {
  const { entities, dimension } = engine.manifest.model;
  const { vocabulary } = engine;
  const embeddings = (await engine.rank(queries, { k: 1 })).map(({ embedding }) => embedding);
  const label = (id: number): string => vocabulary.entity(id).label;
  const tryLaw = async (
    law: Law,
    tolerance: Tolerance,
    sidesOf: (chosen: readonly (readonly number[])[]) => Promise<LawSides>,
  ): Promise<LawFinding> => {
    const random = createRandom('laws', seed, law.name);
    let worst: { readonly found: Violation; readonly chosen: readonly (readonly number[])[] } | undefined;
    for (let done = 0; done < choices; done += together) {
      const rows = Math.min(together, choices - done);
      const chosen = Array.from({ length: law.arity }, () =>
        Array.from({ length: rows }, () => random.below(queries.length)),
      );
      const found = violationOf(law, await sidesOf(chosen), tolerance);
      if (found === undefined) continue;
      if (worst === undefined || !(found.gap <= worst.found.gap)) worst = { found, chosen };
    }
    return worst === undefined ? { choices } : { choices, broken: exampleOf(law, worst.found, worst.chosen) };
  };
  const exampleOf = (
    law: Law,
    { claim, at, left, right }: Violation,
    chosen: readonly (readonly number[])[],
  ): CounterExample => ({
    queries: chosen.map((rows) => formatQuery(queries[rows[Math.floor(at / entities)]!]!, vocabulary)),
    entity: label(at % entities),
    sides: writtenSides(law, claim),
    left,
    right,
  });
  const rowsOf = (chosen: readonly number[]): TensorValue => {
    const data = new Float32Array(chosen.length * dimension);
    chosen.forEach((query, i) => {
      data.set(embeddings[query]!, i * dimension);
    });
    return { dims: [chosen.length, dimension], data };
  };
  return {
    byScores: (law: Law) =>
      tryLaw(law, lawTolerances.ofScores, (chosen) => graphs.ofScores(law, chosen.map(rowsOf))),
    byDegrees: (law: Law) =>
      tryLaw(law, lawTolerances.ofDegrees, async (chosen) => {
        const parts: LawSides[] = [];
        for (let row = 0; row < chosen[0]!.length; row += 1)
          parts.push(
            await sidesOfDegrees(
              engine,
              law,
              chosen.map((of) => queries[of[row]!]!),
            ),
          );
        return joinSides(parts);
      }),
  };
}

/** The sides of several choices, one after the other. */
function joinSides(parts: readonly LawSides[]): LawSides {
  const join = (kind: 'premises' | 'claims'): LawSides['claims'] =>
    parts[0]![kind].map((_, i) => ({
      left: parts.flatMap((part) => Array.from(part[kind][i]!.left)),
      right: parts.flatMap((part) => Array.from(part[kind][i]!.right)),
    }));
  return { premises: join('premises'), claims: join('claims') };
}
