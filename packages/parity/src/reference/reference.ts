import {
  type BundleSource,
  bundlePaths,
  decodeFacts,
  entailedPath,
  type Manifest,
  profileOf,
  type Ranked,
  type RankedAnswer,
  readBundleProvenances,
  readBundleText,
} from '@fuzzqe/bundle';
import { createKnowledgeGraph, type KnowledgeGraph } from '@fuzzqe/core';
import {
  createAnswerer,
  type Pattern,
  type PatternPlan,
  planPattern,
  type Query,
  templateOf,
} from '@fuzzqe/core/query';
import { topK } from '@fuzzqe/core/ranking';
import {
  answerPattern,
  answerSets,
  createSetLogic,
  isExact,
  membersAreDecided,
  type PatternTuples,
  type SetsState,
} from '@fuzzqe/core/sets';
import { createProgram, evaluate, input, numeric, type Tensor } from '@fuzzqe/core/tensor';
import { createLinkDegrees, createRuleIndex, readEvidence, readRules } from '@fuzzqe/evidence';
import { float64Scores, type WeightsReader } from '@fuzzqe/export';
import { embedTemplate } from '@fuzzqe/model';
import { withProvenances } from '@fuzzqe/names';
import { folderSource } from '@fuzzqe/serve';
import { mostTuples, patternBudget, rankedTuples } from '../cases/draw-patterns.ts';
import type { ExpectedAnswer } from '../cases/parity-case.ts';
import { openProfileWeights } from './profile-weights.ts';

/** The judge of any query: what a profile's programs mean in float64. */
export interface Reference {
  /** Everything that is compared. Ranges: k in [1, |E|]. */
  expect(query: Query | Pattern, k: number): Promise<ExpectedAnswer>;
  rank(queries: readonly Query[], options: { readonly k: number }): Promise<readonly RankedAnswer[]>;
  degrees(queries: readonly Query[]): Promise<readonly Float32Array[]>;
  best(queries: readonly Query[], k: number): Promise<readonly Ranked[]>;
  match(plans: readonly PatternPlan[], k: number): Promise<readonly Ranked[]>;
  close(): Promise<void>;
}

/**
 * Opens the weights of a profile for answers in float64.
 *
 * What it shares with a runtime is the weights file, the facts and the evidence, and nothing else of the
 * bundle: neither graphs nor their places in that file. Relations are read as queries use them. Degrees are rounded to
 * float32 between programs, as they are between graphs.
 * @throws FuzzError `bundle`: a profile that this version does not know.
 * @example
 * const reference = await openReference('bundles/mine', 'fp32', manifest);
 * await reference.best([query], 10);
 * await reference.close();
 */
export async function openReference(bundle: string, profile: string, manifest: Manifest): Promise<Reference> {
  const config = manifest.model;
  const weights = await openProfileWeights(bundle, profile, manifest);
  const state = await readState(folderSource(bundle), manifest, weights);
  const answerer = createAnswerer(state.facts);
  const { relative } = profileOf(manifest, profile).tolerances.degree;
  const rankings = new Map<string, readonly [all: RankedAnswer, open: Ranked]>();
  const sets = new Map<string, { readonly degrees: Float32Array; readonly decided: boolean }>();

  const rank = async (query: Query, k: number): Promise<readonly [RankedAnswer, Ranked]> => {
    const { template, anchors, relations } = templateOf(query);
    // A table without rows is none, so a query without relations is given one that it does not use.
    const used = relations.length === 0 ? [0] : [...new Set(relations)];
    const model = weights.profile.model({ ...config, relations: used.length });
    const ids = (kind: string, slot: number): Tensor => input(`${kind} ${slot}`, 'int', [1]);
    const embedding = embedTemplate(model.logic, template, {
      anchor: (slot) => model.anchor(ids('anchor', slot)),
      project: (slot, from) => model.project(from, ids('relation', slot)),
      centroid: model.centroid && ((slot, from) => model.centroid!(from, ids('relation', slot))),
    });
    const feeds = new Map<string, number>([
      ...anchors.map((id, slot) => [`anchor ${slot}`, id] as const),
      ...relations.map((id, slot) => [`relation ${slot}`, used.indexOf(id)] as const),
    ]);
    const program = createProgram({
      name: 'reference',
      inputs: [...feeds.keys()].map((name) => input(name, 'int', [1])),
      outputs: { embedding },
    });
    const values = await weights.values(used);
    const named = [...feeds].map(([name, id]) => [name, numeric([1], Int32Array.of(id))] as const);
    const vector = evaluate(program, { ...values, ...Object.fromEntries(named) })['embedding']!;

    const [given, allowed, limit] = [
      input('embedding', 'float', [1, config.dimension]),
      input('allowed', 'float', [1, config.entities]),
      input('k', 'int', [1]),
    ];
    const ranking = createProgram({
      name: 'ranking',
      inputs: [given, allowed, limit],
      outputs: { ...model.ranking(given, allowed, limit) },
    });
    const best = (mask: Float32Array): Ranked => {
      const found = evaluate(ranking, {
        ...values,
        embedding: vector,
        allowed: numeric([1, config.entities], mask),
        k: numeric([1], Int32Array.of(k)),
      });
      const scores = found['scores']!.data;
      const count = scores.findIndex((score) => score < 0);
      const end = count < 0 ? scores.length : count;
      return { ids: found['ids']!.data.subarray(0, end), scores: scores.subarray(0, end) };
    };
    const mask = new Float32Array(config.entities).fill(1);
    const all = best(mask);
    for (const id of answerer.answer(template, anchors, relations)) mask[id] = 0;
    return [{ embedding: vector.data, ...all }, best(mask)];
  };
  const answer = async (
    query: Query,
  ): Promise<{ readonly degrees: Float32Array; readonly decided: boolean }> => {
    let decided = true;
    const [found] = await answerSets(state, [query], (set, expected) => {
      decided &&= membersAreDecided(set, expected, state.projection, relative);
    });
    return { degrees: found!.degrees, decided };
  };

  const ranked = (query: Query, k: number) =>
    remembered(rankings, `${k} ${JSON.stringify(query)}`, () => rank(query, k));
  const setOf = (query: Query) => remembered(sets, JSON.stringify(query), () => answer(query));
  const tuplesOf = (plan: PatternPlan, k: number): Promise<PatternTuples> =>
    answerPattern(state, plan, { k, ...patternBudget });
  return {
    async expect(query, k) {
      if ('where' in query) {
        const found = await tuplesOf(planPattern(query), mostTuples);
        return { ...noRanking, ...(isExact(found) ? { set: rankedTuples(found) } : {}) };
      }
      const [all, open] = await ranked(query, k);
      const { degrees, decided } = await setOf(query);
      return { ...all, open, ...(decided ? { set: { ...topK(degrees, k), degrees } } : {}) };
    },
    async rank(queries, { k }) {
      const answers: RankedAnswer[] = [];
      for (const query of queries) answers.push((await ranked(query, k))[0]);
      return answers;
    },
    async degrees(queries) {
      const answers: Float32Array[] = [];
      for (const query of queries) answers.push((await setOf(query)).degrees);
      return answers;
    },
    async best(queries, k) {
      const answers: Ranked[] = [];
      for (const query of queries) answers.push(topK((await setOf(query)).degrees, k));
      return answers;
    },
    async match(plans, k) {
      const answers: Ranked[] = [];
      for (const plan of plans) answers.push(rankedTuples(await tuplesOf(plan, k)));
      return answers;
    },
    close: () => weights.close(),
  };
}

/** Of a pattern no embedding is ranked. */
const noRanking: ExpectedAnswer = { embedding: [], ids: [], scores: [] };

/** Answers once what is asked again: every runtime is compared with the same answers. */
async function remembered<T>(known: Map<string, T>, key: string, answer: () => Promise<T>): Promise<T> {
  const found = known.get(key) ?? (await answer());
  known.set(key, found);
  return found;
}

async function readState(
  source: BundleSource,
  { files, model, sets }: Manifest,
  weights: WeightsReader,
): Promise<SetsState> {
  const [entityCount, relationCount] = [model.entities, model.relations];
  const provenances = await readBundleProvenances(source, { files, model });
  const recorded = createKnowledgeGraph({
    entityCount,
    relationCount,
    triples: decodeFacts(await source.read(bundlePaths.facts), model),
  });
  const facts: KnowledgeGraph = provenances === undefined ? recorded : withProvenances(recorded, provenances);
  const rules = readRules(await readBundleText(source, bundlePaths.rules), { entityCount, relationCount });
  const links = createLinkDegrees({
    facts,
    entailed: Object.hasOwn(files, entailedPath)
      ? createKnowledgeGraph({
          entityCount,
          relationCount,
          triples: decodeFacts(await source.read(entailedPath), model),
        })
      : undefined,
    rules: createRuleIndex(rules),
    weights: readEvidence(await readBundleText(source, bundlePaths.evidence), relationCount),
    scores: float64Scores(model, weights),
  });
  return { links, logic: createSetLogic(model.logic), projection: sets.projection, facts };
}
