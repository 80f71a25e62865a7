import type { Reliability, SetsEntry } from '@fuzzqe/bundle';
import { createRandom, FuzzError, type KnowledgeGraph, type Random } from '@fuzzqe/core';
import { instantiate, structureNames, structures } from '@fuzzqe/core/query';
import { topK } from '@fuzzqe/core/ranking';
import { answerSets, type SetsState } from '@fuzzqe/core/sets';
import { type Dataset, hasHeldOutFacts, queryRow, sampleUnselected } from '@fuzzqe/data';
import { closedGraph, drawLinks, entailedGraph, reliabilityOf } from '@fuzzqe/evidence';
import { judgeCandidates } from './evaluate-degrees.ts';

/** What degrees are judged on. */
export interface JudgedTask {
  readonly dataset: Dataset;
  /** The share of the usual numbers of links and queries, in (0, 1]. Default 1. */
  readonly part?: number;
  readonly onProgress?: ((what: string, unit: string, done: number, total: number) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** What gives the degrees; its facts are those of training and validation. */
export type JudgedState = SetsState & {
  readonly typeRelations: readonly number[];
  /** The facts that declared axioms entail of these facts. */
  readonly entailed: KnowledgeGraph | undefined;
};

/** Links that degrees are judged on, and how many of the best unrecorded tails of each. */
const judgedLinks = 3000;
const judgedTails = 5;
/** Queries of each structure that degrees of answers are judged on. */
const judgedQueries = 25;

/**
 * How degrees compare with what was found among the test facts; null where none are held out.
 *
 * What declared axioms entail of recorded facts counts as recorded, and what they entail of all facts as true.
 */
export async function judgeDegrees(task: JudgedTask, state: JudgedState): Promise<SetsEntry['reliability']> {
  const { dataset, part = 1 } = task;
  if (!hasHeldOutFacts(dataset, 'test')) return null;
  const { full } = dataset.graphs();
  const known = closedGraph(state.facts, state.entailed);
  const all = closedGraph(full, entailedGraph(full, dataset.vocabulary));
  const links = await judgeLinks(task, state, { known, all }, Math.ceil(part * judgedLinks));
  return { links, answers: await judgeAnswers(task, state, { known, all }, Math.ceil(part * judgedQueries)) };
}

/** What is recorded, and what is true, entailed facts included. */
interface Truth {
  readonly known: KnowledgeGraph;
  readonly all: KnowledgeGraph;
}

/** Of all plausible links the best unrecorded tails: said, and found among the test facts. */
async function judgeLinks(
  { dataset, onProgress, signal }: JudgedTask,
  { links: degrees, facts, typeRelations }: JudgedState,
  { known, all }: Truth,
  most: number,
): Promise<Reliability> {
  const links = drawLinks({
    ...{ facts, hidden: dataset.test, typeRelations },
    random: createRandom('links', 'test'),
    // All plausible links alike: links with a hidden fact are as seldom here as they are.
    withFact: 0,
    without: most,
    mixed: true,
  });
  // Ranges of few relations are kept.
  links.sort((a, b) => a.relation - b.relation || a.head - b.head);
  const [said, found]: [number[], number[]] = [[], []];
  const atOnce = Math.max(1, Math.min(64, Math.floor(2 ** 22 / facts.entityCount)));
  for (let start = 0; start < links.length; start += atOnce) {
    if (signal?.aborted) throw new FuzzError('interrupted', 'calibration: stopped');
    const some = links.slice(start, start + atOnce);
    const rows = await degrees.rows(
      Int32Array.from(some, ({ head }) => head),
      Int32Array.from(some, ({ relation }) => relation),
    );
    some.forEach(({ head, relation }, i) => {
      const row = rows.subarray(i * facts.entityCount, (i + 1) * facts.entityCount);
      for (const tail of known.tails(head, relation)) row[tail] = -1;
      for (const id of topK(row, Math.min(judgedTails, row.length)).ids) {
        if (row[id]! <= 0) break;
        said.push(row[id]!);
        found.push(all.has(head, relation, id) ? 1 : 0);
      }
    });
    onProgress?.('Comparing links with test facts', 'links', start + some.length, links.length);
  }
  return reliabilityOf(said, found);
}

/** Of queries that no test fact has selected the entities that would be told and are not recorded: said and found. */
async function judgeAnswers(
  { onProgress, signal }: JudgedTask,
  state: JudgedState,
  { known, all }: Truth,
  each: number,
): Promise<Reliability | null> {
  const random: Random = createRandom('answers');
  const judged = judgeCandidates();
  for (const [done, structure] of structureNames.entries()) {
    onProgress?.('Comparing answers with test facts', 'structures', done, structureNames.length);
    const drawn = await sampleUnselected({
      ...{ structure, count: each, smaller: known, larger: all, patience: 500 },
      random: random.fork(structure),
      ...(signal === undefined ? {} : { signal }),
    });
    const { template } = structures[structure];
    for (let row = 0; row < drawn.count; row += 1) {
      const { anchors, relations, easy, hard } = queryRow(drawn, row);
      const [set] = await answerSets(state, [instantiate(template, anchors, relations)]);
      judged.add(set!.degrees, easy, hard);
    }
  }
  const { count, found, ece, bins } = judged.report();
  return count === 0 ? null : { count, found, ece, bins };
}
