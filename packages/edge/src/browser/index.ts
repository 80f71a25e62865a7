export type {
  BrowserEngine,
  BrowserOptions,
  BrowserRuntime,
  BrowserWarning,
  OpenProgress,
} from './browser-options.ts';
export { openBundle } from './open-bundle.ts';
export type { Overlay, OverlayChange, OverlayChanged } from './overlay/overlay.ts';
