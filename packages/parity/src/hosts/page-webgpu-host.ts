import { openOnWebgpu } from '@fuzzqe/edge/webgpu';
import { createRankingHost } from './ranking-host.ts';

/** What the page is asked through: WebGPU. */
export const rank: ReturnType<typeof createRankingHost> = createRankingHost((profile) =>
  openOnWebgpu({ address: '/bundle', wasm: '/ort.wasm', profile, verify: false }),
);
