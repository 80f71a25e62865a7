import type { ImportFormat } from '@fuzzqe/data';
import type { DestinationName, ProfileName } from '@fuzzqe/export';
import type { ParityRuntimeName } from '@fuzzqe/parity';
import type { EvaluationMode, ReproducedTable } from '@fuzzqe/pipeline';
import { type Settings, settingsTable } from '@fuzzqe/serve/settings';
import type { DeviceName } from '@fuzzqe/train';

// What help lists and options check belongs to packages that take half a second to load. A test next to this compares.

/** Where models can be trained, and `auto`. */
export const trainingDevices: readonly (DeviceName | 'auto')[] = [
  'auto',
  'cpu',
  'webgpu',
  'cuda',
  'tfjs:tensorflow',
  'tfjs:webgpu',
  'tfjs:wasm',
  'tfjs:cpu',
];

/** Where bundles can be served, and `auto`. */
export const servingDevices: readonly Settings['device'][] = settingsTable.device.choices;

/** The stored forms of a model, in the order in which one is taken where none is named. */
export const profileNames: readonly ProfileName[] = ['fp32', 'fp16', 'int8', 'int8-basis'];

/** Where what is exported is to be used. */
export const destinationNames: readonly DestinationName[] = ['node', 'workers', 'hf', 'triton'];

/** The ways to answer that `fuzzqe evaluate` compares. */
export const evaluatedModes: readonly (EvaluationMode | 'both' | 'all')[] = [
  'embedding',
  'sets',
  'beam-product',
  'beam-min',
  'qto',
  'both',
  'all',
];

/** What `--profile` does where a bundle is opened. */
export const profileHelp: string = `precision profile of the model (default: the first of ${profileNames.join(', ')} in the bundle)`;

/** What `--require-signature` does where a bundle is opened. */
export const requireSignatureHelp = 'refuse a bundle without a signature by this Ed25519 key (public, PEM)';

/** The configurations that `--config` knows by name. */
export const presetNames: readonly string[] = [
  'bases',
  'betae',
  'codex-s',
  'complex',
  'countries',
  'countries-links',
  'fb15k-237',
  'fb15k-237-gpu',
  'fb15k-237-links',
  'fb15k-237-paper',
  'gqe',
  'links',
  'nell995',
  'nell995-links',
  'nell995-paper',
  'query2box',
  'wn18rr-qa',
  'wn18rr-qa-links',
];

/** What `--config` takes. */
export const configHelp: string = `a preset (${presetNames.join(', ')}) or a JSON file of changes to a preset; default: links, which suits any graph`;

/** What `--minutes` does. */
export const minutesHelp =
  'minutes for training, with its last validation and checkpoint; default: 15 if neither --steps nor the configuration limits it';

/** What `--refit` does. */
export const refitHelp =
  'train once more on all facts with the best number of steps, and export that model; figures stay those of the first training; takes twice as long';

/** How many queries are sampled where nothing else is said, and with which seed: those of the preset `countries`. */
export const sampled: { readonly [part in 'train' | 'valid' | 'test' | 'seed']: number } = {
  train: 4000,
  valid: 60,
  test: 250,
  seed: 1,
};

/** The data sets that can be downloaded. */
export const downloads: readonly ('fb15k-237' | 'nell995')[] = ['fb15k-237', 'nell995'];

/** The forms of files that can be imported. */
export const importFormats: readonly ImportFormat[] = [
  'auto',
  'tsv',
  'csv',
  'parquet',
  'ntriples',
  'nquads',
  'turtle',
  'trig',
  'rdfxml',
  'jsonld',
  'betae',
];

/** The graphs of which papers print figures. */
export const publishedGraphs: readonly ('fb15k-237' | 'nell995')[] = ['fb15k-237', 'nell995'];

/** The tables of the paper that can be made again, with the paper's numbers. */
export const reproducedTables: Readonly<Record<ReproducedTable, string>> = {
  laws: '2',
  accuracy: '3',
  links: '4',
  times: 'H',
};

/** The runtimes that a bundle can be compared on. */
export const parityRuntimes: Readonly<Record<ParityRuntimeName, string>> = {
  node: 'onnxruntime-node on the CPU',
  'node-webgpu': 'onnxruntime-node, WebGPU',
  'node-cuda': 'onnxruntime-node, CUDA',
  web: 'onnxruntime-web in Node, WebAssembly',
  javascript: 'the graphs in plain JavaScript, without a runtime',
  workerd: 'onnxruntime-web in workerd, the runtime of Workers',
  chromium: 'onnxruntime-web in Chromium, WebAssembly',
  'chromium-webgpu': 'onnxruntime-web in Chromium, WebGPU',
  'tfjs-cpu': 'TensorFlow.js in plain JavaScript',
  'tfjs-wasm': 'TensorFlow.js, WebAssembly',
  'tfjs-webgpu': 'TensorFlow.js, WebGPU',
  'tfjs-tensorflow': "TensorFlow.js on TensorFlow's C library",
};

// `Object.keys` knows no literal types; a test holds these to the names of the registry.
export const parityRuntimeNames = Object.keys(parityRuntimes) as readonly ParityRuntimeName[];
