export { bundleHost } from '../runtimes/bundle-host.ts';
export { startWorker, type Worker, type WorkerAnswer, workerdRuntime } from '../runtimes/workerd.ts';
export { collectGarbage } from './collect-garbage.ts';
export { compareGolden, failedPlans } from './compare-golden.ts';
export { placeGraph, rewriteManifest, rewriteRows, seal, weightsIn } from './damaged-bundle.ts';
export { exportMemoryBundle } from './export-memory-bundle.ts';
export { type TinyBundle, tinyBlocks, tinyBundle } from './tiny-bundle.ts';
export { workerFromImage, workerWithCopies, workerWithFacts, workerWithHeap } from './worker-with-heap.ts';
