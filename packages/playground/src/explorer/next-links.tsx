import type { JSX } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { faultOf, type SourceError } from '../sources/answer-source.ts';
import type { Drift, Judging, NextLink } from '../sources/judging.ts';
import { factKey, judgedFact } from './desk.ts';
import { FactWords } from './fact-words.tsx';
import { driftWords, teachingWords } from './judgement-words.ts';
import { Likelihood } from './likelihood.tsx';
import { useRowNotes } from './use-row-notes.ts';
import type { Verdicts } from './use-verdicts.ts';
import { RowFault, VerdictButtons } from './verdict-buttons.tsx';

/** How many links are shown before the server is asked again: each verdict changes what teaches most. */
const atOnce = 5;
/** The most that a server gives, of which some are done with. */
const most = 100;

type Queue =
  | { readonly phase: 'closed' | 'loading' }
  | { readonly phase: 'open'; readonly links: readonly NextLink[] }
  | { readonly phase: 'failed'; readonly fault: SourceError };

/** The links whose verdict teaches most, one after the other, and how far the model was right so far. */
export function NextLinks({
  judging,
  verdicts: { desk, give, written },
  about,
}: {
  readonly judging: Judging;
  readonly verdicts: Verdicts;
  /** The entity whose links are asked; nothing for those of the whole graph. */
  readonly about: { readonly key: string; readonly label: string } | undefined;
}): JSX.Element {
  const [queue, setQueue] = useState<Queue>({ phase: 'closed' });
  /** The links that were skipped or judged here. */
  const [done, setDone] = useState<ReadonlySet<string>>(new Set());
  /** Counts what is asked: zero before somebody asks. */
  const [round, setRound] = useState(0);
  const notes = useRowNotes(give);
  const title = useRef<HTMLHeadingElement>(null);
  const drift = useDrift(judging, written);
  const isLeft = (link: NextLink): boolean =>
    !done.has(factKey(link)) && judgedFact(desk, link)?.isWritten !== true;
  const left = queue.phase === 'open' ? queue.links.filter(isLeft) : [];
  const [link] = left;
  const isThrough = queue.phase === 'open' && queue.links.length > 0 && link === undefined;
  const entity = about?.key;
  useEffect(() => {
    if (round === 0) return;
    const controller = new AbortController();
    const { signal } = controller;
    setQueue({ phase: 'loading' });
    judging.next({ entity, limit: most, signal }).then(
      (links) => {
        if (!signal.aborted) setQueue({ phase: 'open', links: links.filter(isLeft).slice(0, atOnce) });
      },
      (error: unknown) => {
        if (!signal.aborted) setQueue({ phase: 'failed', fault: faultOf(error) });
      },
    );
    return () => controller.abort();
  }, [judging, entity, round]);
  useEffect(() => {
    if (isThrough) setRound((count) => count + 1);
  }, [isThrough]);
  const shown = link === undefined ? undefined : factKey(link);
  const hadFocus = useRef(false);
  useLayoutEffect(() => {
    // The buttons of the link before took the focus along.
    if (hadFocus.current) title.current?.focus();
    hadFocus.current = false;
  }, [shown, queue.phase, done]);
  const ask = (): void => {
    hadFocus.current = true;
    setRound((count) => count + 1);
  };
  const pass = (): void => {
    hadFocus.current = true;
    if (link === undefined) return;
    notes.clear(link);
    setDone((now) => new Set([...now, factKey(link)]));
  };
  return (
    <section class="card" aria-labelledby="next-title" aria-busy={queue.phase === 'loading'}>
      <div class="card-head">
        <h2 id="next-title" ref={title} tabIndex={-1}>
          Ask me next
        </h2>
        <span class="soft small">{about === undefined ? 'of the whole graph' : `of ${about.label}`}</span>
      </div>
      <div class="next-link">
        {queue.phase === 'closed' ? (
          <>
            <p class="soft">The model asks for the verdicts that teach it most, one link after the other.</p>
            <button type="button" class="button" onClick={ask}>
              Begin
            </button>
          </>
        ) : null}
        {queue.phase === 'loading' ? <p class="soft">Looking for links …</p> : null}
        {queue.phase === 'failed' ? (
          <div class="note fault" role="alert">
            <p>{queue.fault.message}</p>
            {queue.fault.hint === undefined ? null : <p class="small">{queue.fault.hint}</p>}
            <button type="button" class="button" onClick={ask}>
              Try again
            </button>
          </div>
        ) : null}
        {queue.phase === 'open' && queue.links.length === 0 ? (
          <>
            <p class="soft">The model has no further question.</p>
            <button
              type="button"
              class="button"
              onClick={() => {
                setDone(new Set());
                ask();
              }}
            >
              Look again
            </button>
          </>
        ) : null}
        {link === undefined ? null : (
          <>
            <p class="fact-text">
              Is it true?{' '}
              <FactWords head={link.head.label} relation={link.relation.label} tail={link.tail.label} />
            </p>
            <Likelihood fact={link} />
            <p class="soft small">{teachingWords(link)}</p>
            {link.conflicts.map((message) => (
              <p key={message} class="small">
                {message}
              </p>
            ))}
            <VerdictButtons key={shown} fact={link} verdict={undefined} notes={notes} onGiven={pass}>
              <button type="button" class="button plain" onClick={pass}>
                Skip
              </button>
            </VerdictButtons>
            <RowFault fact={link} notes={notes} />
          </>
        )}
      </div>
      {drift === undefined ? null : (
        <p class="fact-note soft small" aria-live="polite">
          {driftWords(drift)}
        </p>
      )}
    </section>
  );
}

/** What the model said and people found, anew after each write; what it was before while it is not known. */
function useDrift(judging: Judging, written: number): Drift | undefined {
  const [drift, setDrift] = useState<Drift>();
  useEffect(() => {
    const controller = new AbortController();
    judging.drift(controller.signal).then(
      (found) => {
        if (!controller.signal.aborted) setDrift(found);
      },
      () => undefined,
    );
    return () => controller.abort();
  }, [judging, written]);
  return drift;
}
