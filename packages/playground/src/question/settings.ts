/** How a question is asked. */
export interface AskSettings {
  /** How many answers, in [1, 1000]. */
  readonly k: number;
  /** `known` leaves out what is recorded. */
  readonly exclude: 'none' | 'known';
}

/** How questions are asked unless anything else is wanted. */
export const usualSettings: AskSettings = { k: 10, exclude: 'none' };
