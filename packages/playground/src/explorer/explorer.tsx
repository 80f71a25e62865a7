import { asEntityId, asRelationId, type EntityId } from '@fuzzqe/core';
import type { EntityDescription } from '@fuzzqe/engine';
import type { JSX } from 'preact';
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { FaultBox } from '../controls/fault-box.tsx';
import type { NamedRelation } from '../question/names.ts';
import { createKeys, type Question } from '../question/question.ts';
import { directionOf } from '../question/to-query.ts';
import { type AnswerSource, faultOf, type SourceError } from '../sources/answer-source.ts';
import { AcceptedFacts } from './accepted-facts.tsx';
import { EntityFacts } from './entity-facts.tsx';
import { EntityLiterals } from './entity-literals.tsx';
import './explorer.css';
import { joinPages, loadPage, reloadPage } from './load-page.ts';
import { NextLinks } from './next-links.tsx';
import { Suggestions } from './suggestions.tsx';
import { useVerdicts } from './use-verdicts.ts';

/** What the curator's desk is given. */
export interface ExplorerProps {
  /** Who is asked; nothing while a bundle is opening. */
  readonly source: AnswerSource | undefined;
  /** Verdicts are kept for a model of this name. */
  readonly model: string;
  /** The relations of the graph: their keys say whether keys are IRIs. */
  readonly relations: readonly NamedRelation[];
  /** The entity that is shown; nothing before one is picked. */
  readonly entity: EntityId | undefined;
  readonly onEntity: (entity: EntityId) => void;
  /** A field in which an entity is found by its name. */
  readonly picker: (onPick: (entity: EntityId) => void) => JSX.Element;
  /** Takes a question about the entity to the other tab. */
  readonly onAsk: (question: Question) => void;
}

type Shown =
  | { readonly phase: 'none' | 'loading' }
  | {
      readonly phase: 'shown';
      readonly page: EntityDescription;
      readonly isLoading: boolean;
      /** Why there are no more relations on it. */
      readonly fault?: SourceError;
    }
  | { readonly phase: 'failed'; readonly fault: SourceError };

/** The page that is shown, of which the next relations are wanted, or the same ones as they are now. */
interface Wanted {
  readonly page: EntityDescription;
  readonly isMore: boolean;
}

/** An entity, its facts, and what the model suggests that is missing, to accept or to reject. */
export function Explorer(props: ExplorerProps): JSX.Element {
  const { source, model, entity, onEntity, picker, onAsk } = props;
  const verdicts = useVerdicts(source, model);
  const { shown, more, again } = usePage(source, entity, verdicts.written);
  const card = useRef<HTMLElement>(null);
  /** What was pressed goes away with the page that it is on: the focus would go with it. */
  const leaving = (act: () => void): void => {
    card.current?.focus();
    act();
  };
  const follow = (next: EntityId): void => leaving(() => onEntity(next));
  const ask = (relation: number, from: number): void => {
    const keys = createKeys();
    const anchor = { kind: 'anchor', key: keys(), entity: asEntityId(from) } as const;
    onAsk({ kind: 'hop', key: keys(), ...directionOf(asRelationId(relation)), of: anchor });
  };
  return (
    <main class="desk">
      <div class="desk-left">
        <section
          ref={card}
          tabIndex={-1}
          class="card explorer-card"
          aria-label="Entity"
          aria-busy={shown.phase === 'loading'}
        >
          {picker(onEntity)}
          {shown.phase === 'none' ? (
            <p class="soft">Pick an entity to see its facts, and what the model takes for missing ones.</p>
          ) : null}
          {shown.phase === 'loading' ? <p class="soft">Looking it up …</p> : null}
          {shown.phase === 'failed' ? (
            <FaultBox fault={shown.fault} again="Try again" onAgain={() => leaving(again)} />
          ) : null}
          {shown.phase === 'shown' ? <EntityHead page={shown.page} /> : null}
        </section>
        {shown.phase === 'shown' ? (
          <>
            <Suggestions key={shown.page.id} page={shown.page} verdicts={verdicts} onEntity={follow} />
            <EntityFacts
              page={shown.page}
              isLoading={shown.isLoading}
              fault={shown.fault}
              onMore={more}
              onEntity={follow}
              onAsk={ask}
            />
          </>
        ) : null}
      </div>
      <div class="desk-left">
        {verdicts.judging === undefined ? null : (
          <NextLinks
            judging={verdicts.judging}
            verdicts={verdicts}
            about={shown.phase === 'shown' ? shown.page : undefined}
          />
        )}
        <AcceptedFacts key={model} verdicts={verdicts} relations={props.relations} />
      </div>
    </main>
  );
}

function EntityHead({ page }: { readonly page: EntityDescription }): JSX.Element {
  const { key, label, description, facts } = page;
  return (
    <div>
      <h2 class="explorer-name">{label}</h2>
      <p class="soft small">
        {key === label ? null : <span class="mono">{key} · </span>}
        {facts} recorded {facts === 1 ? 'fact' : 'facts'}
      </p>
      {description === undefined ? null : <p class="small">{description}</p>}
      <EntityLiterals page={page} />
    </div>
  );
}

/** The page about an entity, anew after each write, and the next relations of it on request. */
function usePage(
  source: AnswerSource | undefined,
  entity: EntityId | undefined,
  written: number,
): { readonly shown: Shown; readonly more: () => void; readonly again: () => void } {
  const [shown, setShown] = useState<Shown>({ phase: 'none' });
  const [attempt, setAttempt] = useState(0);
  const [wanted, setWanted] = useState<Wanted>();
  useEffect(() => {
    if (source === undefined || entity === undefined) {
      setShown({ phase: 'none' });
      return;
    }
    const controller = new AbortController();
    setWanted(undefined);
    setShown({ phase: 'loading' });
    return loadInto(controller, loadPage(source, entity, 0, controller.signal), setShown, (fault) => ({
      phase: 'failed',
      fault,
    }));
  }, [source, entity, attempt]);
  useEffect(() => {
    if (wanted === undefined || source === undefined) return;
    const controller = new AbortController();
    const { page, isMore } = wanted;
    const next = isMore
      ? loadPage(source, page.id, page.relations.results.length, controller.signal).then((found) =>
          joinPages(page, found),
        )
      : reloadPage(source, page, controller.signal);
    return loadInto(controller, next, setShown, (fault) => ({
      phase: 'shown',
      // What is there stays.
      page,
      isLoading: false,
      fault,
    }));
  }, [source, wanted]);
  useEffect(() => {
    if (shown.phase === 'shown') setWanted({ page: shown.page, isMore: false });
  }, [written]);
  const more = useCallback(() => {
    if (shown.phase !== 'shown' || shown.isLoading) return;
    const { phase, page } = shown;
    setShown({ phase, page, isLoading: true });
    // Another object, so that what failed is asked for again.
    setWanted({ page, isMore: true });
  }, [shown]);
  return { shown, more, again: () => setAttempt((count) => count + 1) };
}

/** Shows a page once it has come, or what is left where it does not; returns what gives it up. */
function loadInto(
  controller: AbortController,
  page: Promise<EntityDescription>,
  show: (shown: Shown) => void,
  failed: (fault: SourceError) => Shown,
): () => void {
  page.then(
    (found) => {
      if (!controller.signal.aborted) show({ phase: 'shown', page: found, isLoading: false });
    },
    (error: unknown) => {
      if (!controller.signal.aborted) show(failed(faultOf(error)));
    },
  );
  return () => controller.abort();
}
