import type { BrowserEngine, BrowserOptions, BrowserWarning, OpenProgress } from '@fuzzqe/edge/browser';
import type { Page } from 'playwright-core';

/** An engine that a page has open, as `engine` of its global object. */
export type Opened = BrowserEngine;

/** What of the options a page can be sent. */
export type PageOptions = Omit<BrowserOptions, 'signal' | 'onProgress' | 'onWarning' | 'worker' | 'wasm'> & {
  readonly address?: string;
  readonly wasm?: string;
};

/** What came of opening a bundle. */
export interface Opening {
  readonly runtime: string;
  readonly progress: readonly OpenProgress[];
  /** Until now. */
  readonly warnings: readonly BrowserWarning[];
}

/** What the page at / has, and what is kept there between calls. */
export interface PageGlobals {
  readonly fuzzqe: {
    openBundle(address: string, options: BrowserOptions): Promise<BrowserEngine>;
  };
  engine?: BrowserEngine | undefined;
  warnings: BrowserWarning[];
  /** All that was told since the bundle was last opened. */
  progress: OpenProgress[];
}

/** Opens a bundle in a page instead of the one that is open there. */
export function open(page: Page, options: PageOptions): Promise<Opening> {
  return page.evaluate(async ({ address = '/bundle', ...rest }) => {
    // Nothing but this file writes there.
    const globals = globalThis as unknown as PageGlobals;
    await globals.engine?.close();
    globals.engine = undefined;
    globals.warnings = [];
    const progress: OpenProgress[] = [];
    globals.progress = progress;
    globals.engine = await globals.fuzzqe.openBundle(address, {
      ...rest,
      onProgress: (each) => progress.push(each),
      onWarning: (each) => globals.warnings.push(each),
    });
    return { runtime: globals.engine.runtime, progress: [...progress], warnings: globals.warnings };
  }, options);
}

/** What opening a bundle in a page is refused with: all that a person sees of it. */
export async function refusal(page: Page, options: PageOptions): Promise<string> {
  return page.evaluate(async ({ address = '/bundle', ...rest }) => {
    const { fuzzqe } = globalThis as unknown as PageGlobals;
    return fuzzqe.openBundle(address, rest).then(
      () => 'opened',
      (error: unknown) => `${(error as { code?: string }).code}: ${error}`,
    );
  }, options);
}

/** What has been warned of since the bundle was opened. */
export function warningsIn(page: Page): Promise<readonly BrowserWarning[]> {
  return page.evaluate(() => (globalThis as unknown as PageGlobals).warnings);
}
