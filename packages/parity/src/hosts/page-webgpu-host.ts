import { openOnWebgpu } from '@fuzzqe/edge/webgpu';
import { type AnswerHost, createAnswerHost } from './answer-host.ts';

/** What the page is asked through: WebGPU. */
export const answer: AnswerHost = createAnswerHost((profile) =>
  openOnWebgpu({ address: '/bundle', wasm: '/ort.wasm', profile, verify: false }),
);
