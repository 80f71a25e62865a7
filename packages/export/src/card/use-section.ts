import { isCombined, type Manifest } from '@fuzzqe/bundle';
import type { Vocabulary } from '@fuzzqe/core';
import { formatQuery, instantiate, structures } from '@fuzzqe/core/query';
import { code } from './markdown.ts';

/** A query that the model card shows, with the same ids in numbers and in the query notation. */
export interface CardExample {
  readonly anchor: number;
  readonly relation: number;
  readonly text: string;
}

/** The example that a golden query of one relation makes. */
export function cardExampleOf(
  anchors: readonly number[],
  relations: readonly number[],
  vocabulary: Vocabulary,
): CardExample {
  const text = formatQuery(instantiate(structures['1p'].template, anchors, relations), vocabulary);
  return { anchor: anchors[0]!, relation: relations[0]!, text };
}

/** How the bundle is used, by the packages and, where there is a file for each graph, by ONNX Runtime alone. */
export function useSection(manifest: Omit<Manifest, 'sha256'>, example: CardExample): string {
  const [profile] = Object.values(manifest.profiles);
  return isCombined(profile!)
    ? inWorker
    : `${inNode(example)}\n\n${inPython(example)}\n\n${alone(manifest, example)}`;
}

const inWorker = `As a Worker, which \`fuzzqe new worker\` makes of it, with this folder among its assets:

\`\`\`js
import { fetchSource } from '@fuzzqe/edge';
import { createWorker } from '@fuzzqe/edge/worker';
import wasm from 'onnxruntime-web/ort-wasm-simd-threaded.wasm';

export default createWorker({
  wasm,
  source: ({ ASSETS }) => fetchSource('https://assets/bundle', { fetch: (url, init) => ASSETS.fetch(url, init) }),
  image: ({ ASSETS }) => ASSETS.fetch('https://assets/runtime.image'),
});
\`\`\``;

const inNode = (
  example: CardExample,
): string => `With the fuzzqe packages, where ${code('bundle')} is this folder:

\`\`\`js
import { parseQueryText } from '@fuzzqe/core/query';
import { openEngine } from '@fuzzqe/engine';
import { folderSource, nodeSessions } from '@fuzzqe/serve';

const engine = await openEngine({ source: folderSource('bundle'), sessions: nodeSessions('bundle') });
const query = parseQueryText(${JSON.stringify(example.text)}, engine.vocabulary);
const { answers, suggestions } = await engine.answer(query, { k: 10 });
console.log(answers, suggestions);
await engine.close();
\`\`\``;

// JSON's strings are Python's.
const inPython = (example: CardExample): string => `In Python, with \`pip install fuzzqe-py\`:

\`\`\`python
from fuzzqe import Bundle

bundle = Bundle.open("bundle")
answers = bundle.answer(${JSON.stringify(example.text)}, k=10)
for answer in [*answers, *answers.suggestions]:
    print(f"{answer.degree:.3f}", answer.label, answer.state)
\`\`\``;

/** With a graph of a structure and the ranking. */
function alone({ model, profiles }: Pick<Manifest, 'model' | 'profiles'>, example: CardExample): string {
  const [profile] = Object.values(profiles);
  const { structures, rank } = profile!;
  return `With ONNX Runtime alone, in any language; here the same query in Python:

\`\`\`python
import os
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")  # onnxruntime sends telemetry otherwise
import numpy as np, onnxruntime as ort

embed = ort.InferenceSession("${structures!['1p'].path}")
rank = ort.InferenceSession("${rank.path}")
[embedding] = embed.run(["embedding"], {
    "anchors": np.array([[${example.anchor}]], np.int32),
    "relations": np.array([[${example.relation}]], np.int32),
})
ids, scores = rank.run(["ids", "scores"], {
    "embedding": embedding,
    "allowed": np.ones([1, ${model.entities}], np.float32),
    "k": np.array([10], np.int32),
})
\`\`\``;
}
