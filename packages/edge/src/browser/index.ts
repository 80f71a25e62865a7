export type {
  BrowserOptions as OpenBundleOptions,
  BrowserRuntime,
  BrowserWarning,
  OpenProgress,
} from './browser-options.ts';
export { openBundle } from './open-bundle.ts';
export { type BrowserOptions, openInBrowser } from './open-in-browser.ts';
