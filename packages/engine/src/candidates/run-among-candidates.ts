import { asEntityId } from '@fuzzqe/core';
import type { Query } from '@fuzzqe/core/query';
import type { Derivation } from '@fuzzqe/core/sets';
import { throwIfOver } from '../ranker/call-limits.ts';
import type { RankedModel } from '../ranker/local-ranker.ts';
import type {
  ExplainRequest,
  ExplainResult,
  RankRequest,
  SetsRequest,
  SetsResult,
} from '../ranker/ranker.ts';
import { type RankContext, runRequests } from '../ranker/run-requests.ts';
import { createSetsContexts } from '../ranker/sets-context.ts';
import { type CandidateGraph, candidateGraph, relationsOf, withEntities } from './candidate-graph.ts';
import {
  type CandidateLinks,
  createLinkJudges,
  keep,
  type LinkJudge,
  mostKept,
  openCandidateLinks,
} from './candidate-links.ts';
import { findCandidates } from './find-candidates.ts';

/** A request that is answered among candidates. */
type CandidateRequest = (SetsRequest | ExplainRequest) & {
  readonly tails: NonNullable<SetsRequest['tails']>;
};

const isAmong = (request: RankRequest): request is CandidateRequest =>
  (request.task === 'sets' || request.task === 'explain') && request.tails !== undefined;

/** How many entities of a filter become candidates; of more entities, only those that are candidates anyway may be answers. */
const mostAllowed = 4096;

/**
 * Answers requests of fuzzy sets with `tails` among candidates, and all others as `runRequests` does.
 *
 * The candidates of a request are a graph of their own, on which sets obey the logic's laws. Its links have the degrees that they have among all entities.
 * An entity that is no candidate is no answer.
 */
export function runAmongCandidates(bundle: Pick<RankedModel, 'evidence' | 'manifest'>): typeof runRequests {
  const judgeOf = createLinkJudges(bundle);
  const answerOne = createAnswerer(bundle, judgeOf);
  return async (contextAt, batch, limits) => {
    const others = batch.filter((request) => !isAmong(request));
    const found = others.length === 0 ? [] : await runRequests(contextAt, others, limits);
    const results: unknown[] = [];
    for (const request of batch as readonly RankRequest[]) {
      if (isAmong(request)) {
        throwIfOver(limits);
        results.push(await answerOne(contextAt(request), request));
      } else results.push(found.shift());
    }
    // Each result stands where its request did.
    return results as typeof found;
  };
}

function createAnswerer(
  { evidence, manifest }: Pick<RankedModel, 'evidence' | 'manifest'>,
  judgeOf: (context: RankContext) => LinkJudge,
) {
  const { logic } = manifest.model;
  const { projection } = manifest.sets;
  // Links are given.
  const given = { ...evidence, rules: { ...evidence.rules, rules: [] } };
  /** What answers requests of a graph of candidates. */
  const contextOf = ({ ids, facts }: CandidateGraph, links: CandidateLinks, judge: LinkJudge) => {
    const own = (id: number): number => ids[id]!;
    const graphLinks = () => ({
      links: {
        rows: (heads: Int32Array, relations: Int32Array) => links.rows(heads.map(own), relations, ids),
      },
      reasonsOf: (head: number, relation: number, tail: number) =>
        judge.reasonsOf(own(head), relation, own(tail)),
      // Relations that came after the weights have no candidates.
      learned: undefined as never,
    });
    const source = { facts, entailed: undefined, evidence: given, logic, projection, scoresOf: undefined };
    const contexts = createSetsContexts({ ...source, growth: { graphLinks } }, { batchSize: 1 });
    return { ...contexts.at({}), model: undefined };
  };
  return async (context: RankContext, request: CandidateRequest): Promise<SetsResult | ExplainResult> => {
    const { facts } = context;
    const judge = judgeOf(context);
    const known = judge.recordedFirst(request);
    if (known !== undefined) return known;
    const links = openCandidateLinks(context, judge, request.tails);
    const { query } = request;
    const relations = relationsOf(query);
    const open = (candidates: Iterable<number>) => {
      const graph = candidateGraph(facts, candidates, relations);
      // Anchors are candidates.
      const here = (of: Query): Query => withEntities(of, (id) => graph.placeOf(id)!);
      return { graph, here, context: contextOf(graph, links, judge) };
    };
    const candidates = await findCandidates(
      {
        ...{ facts, projection, links },
        async degrees(of, ids) {
          const opened = open(ids);
          const [degrees] = await opened.context.sets([opened.here(of)], undefined, (set) =>
            set.degrees.slice(),
          );
          return degrees!;
        },
        steps: {
          get: (key) => judge.steps.get(key),
          put: (key, step) => keep(judge.steps, key, step, mostKept.steps),
        },
      },
      query,
    );
    if (candidates === undefined) return emptyResult(request, await links.wanted());
    const chosen = request.task === 'explain' ? request.answers : few(request.allowed);
    const { graph, here, context: among } = open([...candidates, ...chosen]);
    const translated =
      request.task === 'explain'
        ? { ...request, answers: request.answers.map((id) => graph.placeOf(id)!) }
        : {
            ...request,
            k: Math.min(request.k, graph.ids.length),
            allowed: request.allowed && placesOf(request.allowed, graph),
          };
    const [result] = await runRequests(
      () => among,
      [{ ...translated, query: here(query), tails: undefined, epoch: undefined, at: undefined }],
      {},
    );
    return result!.task === 'sets'
      ? { ...result!, ids: result!.ids.map((place) => graph.ids[place]!) }
      : explained(result as ExplainResult, graph);
  };
}

const few = (allowed: Int32Array | undefined): Int32Array =>
  allowed === undefined || allowed.length > mostAllowed ? new Int32Array() : allowed;

/** The candidates among some entities, as ids of their graph. */
function placesOf(allowed: Int32Array, graph: CandidateGraph): Int32Array {
  const places = Array.from(allowed, (id) => graph.placeOf(id));
  return Int32Array.from(places.filter((place) => place !== undefined));
}

function emptyResult(
  request: CandidateRequest,
  wanted: NonNullable<SetsResult['wanted']>,
): SetsResult | ExplainResult {
  const none = { ids: new Int32Array(), degrees: new Float32Array(), known: new Uint8Array() };
  return request.task === 'sets'
    ? { task: 'sets', ...none, operands: [], wanted }
    : { task: 'explain', parts: [], derivations: [], reasons: [], wanted };
}

/** An explanation with the ids of the whole graph. */
function explained(result: ExplainResult, { ids }: CandidateGraph): ExplainResult {
  const own = (id: number) => asEntityId(ids[id]!);
  const derivation = (node: Derivation): Derivation => {
    const entity = own(node.entity);
    switch (node.op) {
      case 'entity':
        return { ...node, entity };
      case 'not':
        return { ...node, entity, operand: derivation(node.operand) };
      case 'project': {
        const { link, from } = node;
        if (link === undefined || from === undefined) return { ...node, entity };
        return { ...node, entity, link: { ...link, head: own(link.head) }, from: derivation(from) };
      }
      default:
        return { ...node, entity, operands: node.operands.map(derivation) };
    }
  };
  return {
    task: 'explain',
    parts: result.parts.map((part) => ({ ...part, ids: part.ids.map((id) => ids[id]!) })),
    derivations: result.derivations.map(derivation),
    reasons: result.reasons.map((each) => ({ ...each, head: own(each.head), tail: own(each.tail) })),
  };
}
