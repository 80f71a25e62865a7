import { type GivenWriter, type LinkConflict, RequestError, type WrittenJudgements } from '@fuzzqe/api';
import { changedFacts } from '@fuzzqe/core';
import { createConflictFinder, type ReadOptions, readWithNames } from '@fuzzqe/engine';
import type { FactChange } from '@fuzzqe/facts';
import { type EngineFacts, keyIds, type NamedChange, nameFacts } from '@fuzzqe/facts/apply';
import type { UpdatableFacts } from '../facts/updatable-facts.ts';
import { degreesOfLinks } from './judged-links.ts';

/** What judgements come to. */
export interface JudgedFacts {
  /** Changes by keys, with what was said; judgements that say what is known already are left out. */
  readonly changes: readonly FactChange[];
  /** How many judgements are left out. */
  readonly known: number;
  /** Of the facts that are accepted. */
  readonly conflicts: readonly LinkConflict[];
}

/**
 * Judgements as changes of facts: each has the degree that the link had before, and the time of the judgement unless it has a date.
 *
 * A link that is recorded already, or rejected already, keeps its earlier judgement. A later judgement takes over the degree that was noted first.
 *
 * @throws FuzzError `vocabulary`: names that the graph lacks. What the ranker throws.
 */
export async function judgeFacts(
  { engine, provenance }: Pick<EngineFacts, 'engine' | 'provenance'>,
  judgements: readonly NamedChange[],
  reading: ReadOptions | undefined,
): Promise<JudgedFacts> {
  const { vocabulary, facts } = engine;
  const named = await readWithNames(vocabulary, (names) => nameFacts(names, judgements), reading);
  const judged = named.map((change) => {
    const ids = keyIds(vocabulary, change);
    const earlier = provenance.of(ids);
    return { change, ids, earlier, isRecorded: facts.has(...ids), isRejected: earlier?.rejected === true };
  });
  const news = judged.filter(({ change: { does }, isRecorded, isRejected }) =>
    does === 'add' ? !isRecorded : !isRejected,
  );
  // Nobody predicted what is recorded.
  const unsaid = news.filter(({ earlier, isRecorded }) => earlier?.said === undefined && !isRecorded);
  const degrees = await degreesOfLinks(
    engine,
    unsaid.map(({ ids }) => ids),
    reading,
  );
  const saidNow = new Map(unsaid.map((each, i) => [each, degrees[i]!]));
  // What is accepted and rejected together stands together afterwards.
  const idsOf = (does: FactChange['does']): Int32Array =>
    Int32Array.from(news.flatMap(({ change, ids }) => (change.does === does ? ids : [])));
  const { graph } = changedFacts(facts, { added: idsOf('add'), removed: idsOf('reject') });
  const conflictsOf = createConflictFinder(engine, graph);
  const now = new Date().toISOString();
  return {
    known: judgements.length - news.length,
    changes: news.map((each) => {
      const { change, earlier } = each;
      const said = earlier?.said ?? saidNow.get(each);
      return { ...change, date: change.date ?? now, ...(said === undefined ? {} : { said }) };
    }),
    conflicts: news.flatMap(({ change, ids, isRejected, earlier }) => {
      if (change.does !== 'add') return [];
      const { head, relation, tail } = change;
      const found = conflictsOf(ids).map((conflict) => ({ head, relation, tail, ...conflict }));
      const by = earlier?.by === undefined ? '' : ` by ${earlier.by}`;
      return isRejected
        ? [...found, { head, relation, tail, kind: 'rejected', message: `The link was rejected${by}.` }]
        : found;
    }),
  };
}

/** Writes judgements; no other write comes between what they are compared with and what is written. Throws: what `judgeFacts` and a write throw. */
export async function writeJudgements(
  facts: Pick<UpdatableFacts, 'newest' | 'update'>,
  judgements: readonly NamedChange[],
  conflicts: 'refuse' | 'accept',
  writer: GivenWriter = {},
): Promise<WrittenJudgements> {
  let judged: JudgedFacts = { changes: [], known: 0, conflicts: [] };
  const isRefused = (): boolean => judged.conflicts.length > 0 && conflicts === 'refuse';
  const read = async () => {
    judged = await judgeFacts(facts.newest(), judgements, writer.reading);
    // Keys between brackets, which no label and no id is taken for.
    return isRefused()
      ? []
      : judged.changes.map(({ head, relation, tail, ...change }) => ({
          ...change,
          ...{ head: `<${head}>`, relation: `<${relation}>`, tail: `<${tail}>`, place: '$' },
        }));
  };
  const written = await facts.update(read, writer);
  return {
    conflicts: judged.conflicts,
    written: isRefused() ? undefined : { ...written, unchanged: written.unchanged + judged.known },
  };
}

/** How many conflicts an error names. */
const mostNamed = 5;

/** The error of facts that conflict with recorded facts. */
export function conflictError(conflicts: readonly LinkConflict[]): RequestError {
  const texts = conflicts
    .slice(0, mostNamed)
    .map(({ head, relation, tail, message }) => `\n  ${head}, ${relation}, ${tail}: ${message}`);
  const more = conflicts.length > mostNamed ? `\n  and ${conflicts.length - mostNamed} more` : '';
  return new RequestError(
    'conflict',
    `judgements: expected facts without conflicts, got ${conflicts.length} conflicts, so nothing is written:${texts.join('')}${more}`,
    'Look at the facts, and send them again with ?conflicts=accept.',
  );
}
