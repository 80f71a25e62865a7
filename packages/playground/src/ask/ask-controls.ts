import { computed, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { type AskSettings, usualLeast } from '../question/settings.ts';

/** What the visitor sets of how something is asked. */
export interface AskControls {
  /** How many answers are wanted; the graph may have fewer entities. */
  readonly k: Signal<number>;
  /** The least degree of an answer; answers below it are suggestions. */
  readonly minDegree: Signal<number>;
  /** Whether answers that are recorded are left out. */
  readonly onlyNew: Signal<boolean>;
  /** How it is asked: what links and texts say. */
  readonly settings: ReadonlySignal<AskSettings>;
}

/** Controls that stand as a link says. */
export function createAskControls(given: AskSettings): AskControls {
  const k = signal(given.k);
  const minDegree = signal(given.minDegree ?? usualLeast);
  const onlyNew = signal(given.exclude === 'known');
  const settings = computed<AskSettings>(() => ({
    k: k.value,
    exclude: onlyNew.value ? 'known' : 'none',
    ...(minDegree.value === usualLeast ? {} : { minDegree: minDegree.value }),
  }));
  return { k, minDegree, onlyNew, settings };
}
