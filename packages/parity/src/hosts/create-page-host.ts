import { fetchSource, type WebRuntime, webSessions } from '@fuzzqe/edge';
import { openEngine } from '@fuzzqe/engine';
import { type AnswerHost, createAnswerHost } from './answer-host.ts';

/** Answers in a page by a build of onnxruntime-web, without what `openBundle` of `@fuzzqe/edge/browser` does around it. */
export function createPageHost(ort: WebRuntime, device: 'wasm' | 'webgpu'): AnswerHost {
  ort.env.wasm.wasmPaths = { wasm: '/ort.wasm' };
  return createAnswerHost((profile) => {
    const source = fetchSource('/bundle');
    return openEngine({ source, sessions: webSessions({ ort, device }), profile, verify: false });
  });
}
