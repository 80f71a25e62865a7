// The default build answers wrongly on WebGPU; this one is right.
import * as ort from 'onnxruntime-web/webgpu';
import type { AnswerHost } from './answer-host.ts';
import { createPageHost } from './create-page-host.ts';

/** What the page is asked through: WebGPU. */
export const answer: AnswerHost = createPageHost(ort, 'webgpu');
