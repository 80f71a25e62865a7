/** How a question is asked. */
export interface AskSettings {
  /** How many answers, in [1, 1000]. */
  readonly k: number;
  /** `known` leaves out what is recorded. */
  readonly exclude: 'none' | 'known';
  /** The least degree of an answer, in [0, 1]. Default 0.5. */
  readonly minDegree?: number;
}

/** The least degree of an answer unless another one is chosen. */
export const usualLeast = 0.5;

/** How questions are asked unless anything else is wanted. */
export const usualSettings: AskSettings = { k: 10, exclude: 'none' };

/** The same for a graph, of which nobody may ask for more answers than it has entities: links and texts are not made for one graph alone. */
export function settingsFor(settings: AskSettings, { entities }: { readonly entities: number }): AskSettings {
  return { ...settings, k: Math.min(settings.k, entities) };
}
