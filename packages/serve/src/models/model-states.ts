import type { ModelRegistry } from '@fuzzqe/api';
import type { ModelShelf } from './model-shelf.ts';

/** How the models of a shelf are, for `/readyz`. */
export interface ModelStates {
  readonly open: number;
  readonly closed: number;
  readonly opening: number;
  /** How many cannot be opened, or for callers who may know the names, why each cannot; the first hundred. */
  readonly failed: number | Readonly<Record<string, string>>;
}

/** Whether models are opened when they are asked for. */
export function isShelf(models: ModelRegistry): models is ModelShelf {
  return 'shelve' in models;
}

/** Counts the models of a shelf by their states. */
export function statesOf(models: Pick<ModelShelf, 'closed' | 'names'>, isKnown: boolean): ModelStates {
  const others = models.closed();
  const count = (wanted: string): number => others.filter(({ status }) => status === wanted).length;
  const failed = others.filter(({ status }) => status === 'failed');
  return {
    open: models.names.length - others.length,
    closed: count('closed'),
    opening: count('opening'),
    failed: isKnown
      ? Object.fromEntries(failed.slice(0, 100).map(({ name, reason = '' }) => [name, reason]))
      : failed.length,
  };
}
