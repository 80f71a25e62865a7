import type { ModelInfo, StructureListing } from '@fuzzqe/api';
import type { EntityId, RelationId } from '@fuzzqe/core';
import type { OpenProgress } from '@fuzzqe/edge/browser';
import { batch, computed, effect, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { createAskControls } from '../ask/ask-controls.ts';
import { askQuestion, noFindings, type QuestionFindings } from '../ask/asking.ts';
import { type Asked, createAsking } from '../ask/findings.ts';
import { createPatternState, type PatternState } from '../pattern/pattern-state.ts';
import { writeAddress } from '../question/address.ts';
import { createHistory, edit, type History, redo, undo } from '../question/history.ts';
import { inverseMark } from '../question/inverse-mark.ts';
import type { FoundNames } from '../question/names.ts';
import type { Naming } from '../question/naming.ts';
import { everyPart, findPart, type Question } from '../question/question.ts';
import { type AskSettings, settingsFor, usualSettings } from '../question/settings.ts';
import { createTypedText, type TypedText } from '../question/typed-text.ts';
import { type AnswerSource, faultOf, SourceError, type TimedAnswer } from '../sources/answer-source.ts';
import type { SourceNames } from '../sources/source-names.ts';
import { type Notation, type NotedQuestion, readNoted, writeNoted } from './notation/noted-question.ts';

/** Which sources are asked. */
export type AskedPlaces = 'server' | 'browser' | 'both';

/** What the page is used for: to ask for one set, to ask for several variables, or to look around and mend. */
export type Tab = 'ask' | 'patterns' | 'explore';

/** How far the bundle has come in this browser. */
export type BrowserState =
  | { readonly phase: 'closed' }
  | { readonly phase: 'opening'; readonly progress: OpenProgress | undefined }
  | { readonly phase: 'open'; readonly source: AnswerSource }
  | { readonly phase: 'failed'; readonly error: SourceError };

/** What the page begins with. */
export interface PageStart {
  /** Nothing where there is no server. */
  readonly server: AnswerSource | undefined;
  /** Opens the bundle in this browser; nothing where it may not be read. */
  readonly openBrowser:
    | ((onProgress: (progress: OpenProgress) => void, signal: AbortSignal) => Promise<AnswerSource>)
    | undefined;
  /** The bundle if it is open already. */
  readonly browser: AnswerSource | undefined;
  /** What goes on in another way in this browser than was asked for; it may come later, too. */
  readonly warnings: ReadonlySignal<readonly string[]>;
  readonly model: ModelInfo;
  readonly models: readonly ModelInfo[];
  readonly names: SourceNames;
  /** Questions over the graph. */
  readonly examples: StructureListing;
  readonly question: Question;
  /** The text of the pattern that the address asks instead of the question. */
  readonly pattern?: string | undefined;
  readonly settings: AskSettings;
  /** What the first source has answered the question already. */
  readonly firstAnswer?: TimedAnswer | undefined;
  /** Whether the page chose the question itself. */
  readonly isWelcome: boolean;
  /** What is wrong with the address of the page. */
  readonly linkProblem: string | undefined;
  readonly naming: Naming;
  /** Where programs ask: `http://localhost:8080/v1`, or that of one model. */
  readonly apiAddress: string;
  /** Whether the server was given a key. */
  readonly hasKey: () => boolean;
  /** Takes another key for the server. */
  readonly giveKey: (key: string) => void;
}

/** Everything that the page shows, and what may be done to it. */
export interface PageState
  extends Asked<QuestionFindings>,
    Omit<
      PageStart,
      'browser' | 'firstAnswer' | 'linkProblem' | 'openBrowser' | 'pattern' | 'question' | 'settings'
    > {
  /** What is wrong with the address of the page, which stays as it is until something else is asked. */
  readonly linkProblem: ReadonlySignal<string | undefined>;
  readonly question: ReadonlySignal<Question>;
  /** What the view of several variables shows. */
  readonly pattern: PatternState;
  readonly selected: Signal<string>;
  readonly selectedPart: ReadonlySignal<Question>;
  readonly canUndo: ReadonlySignal<boolean>;
  readonly canRedo: ReadonlySignal<boolean>;
  readonly asked: ReadonlySignal<AskedPlaces>;
  readonly canAskBrowser: boolean;
  readonly browser: ReadonlySignal<BrowserState>;
  /** The notation in which the question is written. */
  readonly notation: Signal<Notation>;
  /** The question in that notation. */
  readonly typed: TypedText;
  /** Which tab is shown. */
  readonly tab: Signal<Tab>;
  /** The entity that is explored. */
  readonly explored: Signal<EntityId | undefined>;
  /** Replaces the question, selects a part of it, and asks for it as is wanted: for the first answers unless it says how many. */
  change(question: Question, select?: string, settings?: Partial<AskSettings>): void;
  undo(): void;
  redo(): void;
  askOf(asked: AskedPlaces): void;
  askAgain(): void;
  /** An entity's label, or its id until the label has come. */
  labelOf(entity: EntityId): string;
  /** The label of a relation of the data, without its direction. */
  dataLabel(relation: RelationId): string;
  /** A relation's label, with a mark after it for an inverse. */
  relationLabel(relation: RelationId): string;
  /** How this graph can be asked it. */
  readonly possible: ReadonlySignal<AskSettings>;
  /** The address of the page with what it asks. */
  address(): Promise<string>;
  /** Gives up what is under way, and closes the bundle. */
  close(): void;
  /** Who is asked for names and questions in words; nothing while a bundle is opening. */
  readonly source: ReadonlySignal<AnswerSource | undefined>;
  /** The same. Throws SourceError `failed`: no source is open yet. */
  nameSource(): AnswerSource;
}

/** The state of a page that has begun. */
export function createPageState(start: PageStart): PageState {
  const { server, names } = start;
  const history = signal(createHistory(start.question));
  const question = computed(() => history.value.present);
  const selected = signal(start.question.key);
  const tab = signal<Tab>(start.pattern === undefined ? 'ask' : 'patterns');
  const asked = signal<AskedPlaces>(server === undefined ? 'browser' : 'server');
  const browser = signal<BrowserState>(
    start.browser === undefined ? { phase: 'closed' } : { phase: 'open', source: start.browser },
  );
  const closing = new AbortController();
  const linkProblem = signal(start.linkProblem);
  const controls = createAskControls(start.settings);
  const { k, onlyNew, settings } = controls;
  const possible = computed(() => settingsFor(settings.value, start.model));
  /** Counts names that have come, so that what shows them is drawn again. */
  const namesKnown = signal(0);

  const open = async (): Promise<void> => {
    const { phase } = browser.peek();
    if (start.openBrowser === undefined || phase === 'open' || phase === 'opening') return;
    browser.value = { phase: 'opening', progress: undefined };
    try {
      const source = await start.openBrowser((progress) => {
        browser.value = { phase: 'opening', progress };
      }, closing.signal);
      if (closing.signal.aborted) return closeQuietly(source);
      browser.value = { phase: 'open', source };
    } catch (error) {
      browser.value = { phase: 'failed', error: faultOf(error) };
    }
  };
  // By itself, so that progress asks nobody anew.
  const opened = computed(() => (browser.value.phase === 'open' ? browser.value.source : undefined));
  const sources = computed<readonly AnswerSource[]>(() => {
    const inBrowser = opened.value === undefined ? [] : [opened.value];
    const onServer = server === undefined ? [] : [server];
    if (asked.value === 'server') return onServer;
    return asked.value === 'browser' ? inBrowser : [...onServer, ...inBrowser];
  });

  // Where this browser answers alone, the server may have gone.
  const nameSource = computed(() =>
    asked.value === 'browser' ? (opened.value ?? server) : (server ?? opened.value),
  );
  const stopNameSource = effect(() => {
    if (nameSource.value !== undefined) names.askInstead(nameSource.value);
  });
  const remember = (found: FoundNames): void => {
    names.remember(found);
    namesKnown.value = namesKnown.peek() + 1;
  };
  const stopNames = effect(() => {
    const missing = [...everyPart(question.value)].flatMap((part) =>
      part.kind === 'anchor' && part.entity !== undefined && names.known(part.entity) === undefined
        ? [part.entity]
        : [],
    );
    for (const entity of missing)
      names.entity(entity).then(
        (found) => remember({ entities: [found] }),
        // The question itself says that there is no such entity, or no server.
        () => undefined,
      );
  });
  let { firstAnswer } = start;
  const asking = createAsking(noFindings, () => {
    const current = question.value;
    const how = possible.value;
    const known = firstAnswer;
    firstAnswer = undefined;
    const from =
      known === undefined
        ? sources.value
        : sources.value.map((source) => ({ ...source, ask: () => Promise.resolve(known) }));
    if (from.length === 0) return undefined;
    return (until, tell) =>
      askQuestion(current, from, { ...how, signal: until, onNames: remember, onFindings: tell });
  });

  const pattern = createPatternState({
    naming: start.naming,
    sources,
    isShown: computed(() => tab.value === 'patterns'),
    text: start.pattern,
    settings: start.settings,
    onNames: remember,
  });

  const model = start.models.length < 2 ? {} : { model: start.model.name };
  const address = async (): Promise<string> => {
    const shared =
      tab.value === 'patterns'
        ? { pattern: pattern.typed.written.value, settings: pattern.settings.value }
        : { settings: settings.value };
    const page = new URL(location.href);
    page.hash = await writeAddress({ question: question.value, ...shared, ...model }, start.naming);
    return page.href;
  };
  let isFirstAddress = true;
  const stopAddress = effect(() => {
    // A pattern that is not asked yet is no link: who opens a link asks it.
    if (linkProblem.value !== undefined || (tab.value === 'patterns' && pattern.isHeld.value)) return;
    let isCurrent = true;
    address().then(
      (href) => {
        if (!isCurrent) return;
        // The way back of the browser leads to the question before; the page's own first address is no change.
        if (isFirstAddress) globalThis.history.replaceState(null, '', href);
        else if (href !== location.href) globalThis.history.pushState(null, '', href);
        isFirstAddress = false;
      },
      // Names that the server does not give: the address stays.
      () => undefined,
    );
    return () => {
      isCurrent = false;
    };
  });
  const show = (
    next: History<Question>,
    select = selected.value,
    { k: wanted = usualSettings.k, exclude }: Partial<AskSettings> = {},
  ): void =>
    batch(() => {
      linkProblem.value = undefined;
      history.value = next;
      k.value = wanted;
      if (exclude !== undefined) onlyNew.value = exclude === 'known';
      selected.value = findPart(next.present, select)?.key ?? next.present.key;
    });

  const notation = signal<Notation>('text');
  const typed = createTypedText<NotedQuestion>({
    value: computed(() => ({
      notation: notation.value,
      question: question.value,
      // Settings are part of SPARQL alone.
      ...(notation.value === 'text' ? {} : { k: k.value, exclude: onlyNew.value ? 'known' : 'none' }),
    })),
    write: (noted) => writeNoted(noted, start.naming),
    async read(text, noted) {
      const { question: found, settings: how } = await readNoted(text, noted, start.naming);
      return () => show(edit(history.peek(), found), undefined, how);
    },
    isMinor: (before, after) => before.question === after.question && before.notation === after.notation,
  });

  const dataLabel = (relation: RelationId): string =>
    names.relations[Math.floor(relation / 2)]?.label ?? `#${relation}`;

  return {
    ...start,
    ...controls,
    ...asking,
    linkProblem,
    question,
    pattern,
    tab,
    explored: signal<EntityId | undefined>(undefined),
    selected,
    selectedPart: computed(() => findPart(question.value, selected.value) ?? question.value),
    canUndo: computed(() => history.value.past.length > 0),
    canRedo: computed(() => history.value.future.length > 0),
    asked,
    canAskBrowser: start.openBrowser !== undefined || start.browser !== undefined,
    browser,
    notation,
    typed,
    isTextUnread: typed.isUnread,
    change: (changed, select, how) => show(edit(history.value, changed), select, how),
    undo: () => show(undo(history.value)),
    redo: () => show(redo(history.value)),
    askOf(wanted) {
      asked.value = wanted;
      if (wanted !== 'server') void open();
    },
    askAgain() {
      if (asked.value !== 'server') void open();
      asking.askAgain();
      pattern.askAgain();
    },
    labelOf(entity) {
      namesKnown.value;
      return names.known(entity)?.label ?? `#${entity}`;
    },
    dataLabel,
    relationLabel: (relation) => dataLabel(relation) + (relation % 2 === 1 ? inverseMark : ''),
    possible,
    source: nameSource,
    address,
    close() {
      stopNameSource();
      stopNames();
      asking.close();
      typed.close();
      stopAddress();
      pattern.close();
      closing.abort();
      const source = opened.peek();
      if (source !== undefined) void closeQuietly(source);
    },
    nameSource() {
      const source = nameSource.value;
      if (source === undefined) throw new SourceError('failed', 'The bundle is not open.');
      return source;
    },
  };
}

/** Closes a source that nobody asks any more, so that nobody is told what goes wrong with it. */
export function closeQuietly(source: AnswerSource): Promise<void> {
  return source.close().catch(() => undefined);
}
