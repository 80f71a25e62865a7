import * as ort from 'onnxruntime-web/wasm';
import type { AnswerHost } from './answer-host.ts';
import { createPageHost } from './create-page-host.ts';

/** What the page is asked through: WebAssembly. */
export const answer: AnswerHost = createPageHost(ort, 'wasm');
