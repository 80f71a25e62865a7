import { useEffect, useMemo, useState } from 'preact/hooks';
import { type AnswerSource, SourceError } from '../sources/answer-source.ts';
import type { Judging, LinkKeys } from '../sources/judging.ts';
import { useKeptList } from '../storage/use-kept-list.ts';
import { type Desk, isJudged, judge, judgedFact, type SuggestedFact, type Verdict } from './desk.ts';

/**
 * Gives a verdict on a fact, or takes the verdict back; what comes back speaks against the fact, so that nothing was written.
 *
 * Rejects with a SourceError where a server does not take it.
 */
export type GiveVerdict = (
  fact: SuggestedFact,
  verdict: Verdict | undefined,
  inSpite?: boolean,
) => Promise<readonly string[]>;

/** The verdicts of a curator, and where they go. */
export interface Verdicts {
  readonly desk: Desk;
  readonly changeDesk: (edit: (desk: Desk) => Desk) => void;
  /** The server that takes them; nothing where they stay in this browser. */
  readonly judging: Judging | undefined;
  /** Why the server takes no verdicts of this caller. */
  readonly refusal: SourceError | undefined;
  /** How many were written: who shows facts looks again. */
  readonly written: number;
  readonly give: GiveVerdict;
}

/** Verdicts that go to the server of a source where it takes facts, else into this browser. */
export function useVerdicts(source: AnswerSource | undefined, model: string): Verdicts {
  const [desk, changeDesk] = useKeptList(`fuzzqe-desk:${model}`, isJudged);
  const [judging, setJudging] = useState<Judging>();
  const [refusal, setRefusal] = useState<SourceError>();
  const [written, setWritten] = useState(0);
  // A verdict waits until it is known where verdicts go. What cannot be found out is no server for them.
  const asked = useMemo(() => source?.judging().catch(() => undefined), [source]);
  useEffect(() => {
    let isCurrent = true;
    setJudging(undefined);
    setRefusal(undefined);
    asked?.then((found) => {
      if (isCurrent) setJudging(found);
    });
    return () => {
      isCurrent = false;
    };
  }, [asked]);
  const give: GiveVerdict = async (fact, verdict, inSpite = false) => {
    const server = refusal === undefined ? await asked : undefined;
    if (server === undefined) {
      if (judgedFact(desk, fact)?.isWritten === true)
        throw new SourceError('refused', 'The server has this verdict, and takes no verdicts of yours now.');
      changeDesk((now) => judge(now, fact, verdict));
      return [];
    }
    try {
      const conflicts = await write(server, desk, fact, verdict, inSpite);
      if (conflicts.against.length > 0) return conflicts.against;
      changeDesk((now) => judge(now, fact, conflicts.isNew ? verdict : undefined, true));
      // A verdict that this browser alone had is no write.
      if (verdict !== undefined || judgedFact(desk, fact)?.isWritten === true)
        setWritten((count) => count + 1);
      return [];
    } catch (error) {
      if (!(error instanceof SourceError) || !error.isForbidden || verdict === undefined) throw error;
      // Nothing is lost: the verdict stays here.
      setRefusal(error);
      changeDesk((now) => judge(now, fact, verdict));
      return [];
    }
  };
  return { desk, changeDesk, judging: refusal === undefined ? judging : undefined, refusal, written, give };
}

/** Writes a verdict, or what speaks against it. */
async function write(
  server: Judging,
  desk: Desk,
  fact: SuggestedFact,
  verdict: Verdict | undefined,
  inSpite: boolean,
): Promise<{ readonly against: readonly string[]; readonly isNew: boolean }> {
  const link = linkOf(fact);
  if (verdict === undefined) {
    // What this browser alone has is not on the server.
    if (judgedFact(desk, fact)?.isWritten === true) await server.takeBack(link);
    return { against: [], isNew: true };
  }
  const isAccepted = verdict === 'accepted';
  const against = isAccepted && !inSpite ? await server.conflicts(link) : [];
  if (against.length > 0) return { against, isNew: false };
  return { against, isNew: await server.judge(link, isAccepted ? 'accept' : 'reject', inSpite) };
}

function linkOf({ head, relation, tail }: SuggestedFact): LinkKeys {
  return { head: head.key, relation: relation.key, tail: tail.key };
}
