import { openInBrowser } from '@fuzzqe/edge/browser';
import { createRankingHost } from './ranking-host.ts';

/** What the page is asked through: WebAssembly. */
export const rank: ReturnType<typeof createRankingHost> = createRankingHost((profile) =>
  openInBrowser({ address: '/bundle', wasm: '/ort.wasm', profile, verify: false }),
);
