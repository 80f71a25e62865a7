import { openInBrowser } from '@fuzzqe/edge/browser';
import { type AnswerHost, createAnswerHost } from './answer-host.ts';

/** What the page is asked through: WebAssembly. */
export const answer: AnswerHost = createAnswerHost((profile) =>
  openInBrowser({ address: '/bundle', wasm: '/ort.wasm', profile, verify: false }),
);
