import type { Browser, Page } from 'playwright-core';

/**
 * The longest task of a renderer's main thread while something is done, in milliseconds of the processor and of the clock: only
 * the clock's grow where other programs run.
 */
export function longestTask(
  browser: Browser,
  page: Page,
  work: () => Promise<void>,
): Promise<{ readonly processor: number; readonly clock: number }>;
