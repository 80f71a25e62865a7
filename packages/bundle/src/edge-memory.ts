import {
  aliasesPath,
  bundlePaths,
  isCombined,
  type Manifest,
  modesOf,
  type Profile,
  profileGraphs,
  provenancePath,
} from './manifest.ts';

/** What a bundle takes in an isolate that runs it with onnxruntime-web, in bytes. */
export interface EdgeMemory {
  /** The runtime's own, with what its heap grows beyond need. */
  readonly runtime: number;
  /** In the heap of WebAssembly: once for each session. */
  readonly weights: number;
  /** The weights once more, while a session is made of them. */
  readonly opening: number;
  /** Names, facts, rules and answers. */
  readonly data: number;
  readonly total: number;
}

/** Measured in workerd with onnxruntime-web 1.30. */
const runtimeBytes = 28 * 2 ** 20;
/** A graph that is opened takes this many times its file; an entity its name, a label and two keys of maps; a fact two lists. */
const perGraphByte = 12;
const perNameByte = 12;
const perFactByte = 3;
/** The text of a rule, the rule as objects, and its place in the index of rules. */
const perRuleByte = 8;

/**
 * An estimate from the manifest alone, before anything else is fetched.
 *
 * Without combined graphs, answers in mode `sets` hold the weights three times.
 */
export function edgeMemory(
  { files, model, modes }: Pick<Manifest, 'files' | 'model' | 'modes'>,
  profile: Profile,
): EdgeMemory {
  const bytesOf = (paths: Iterable<string>): number =>
    [...new Set(paths)].reduce((sum, path) => sum + (files[path]?.bytes ?? 0), 0);
  const graphs = profileGraphs(profile);
  const stored = bytesOf(graphs.flatMap(({ weights }) => weights));
  const combined = isCombined(profile);
  const weights = combined ? stored : 3 * stored;
  const graphBytes = combined ? bytesOf([profile.edge.path]) : 0;
  const runtime = runtimeBytes + perGraphByte * graphBytes;
  const data =
    perNameByte * bytesOf([bundlePaths.entities, bundlePaths.relations, aliasesPath]) +
    perFactByte * bytesOf([bundlePaths.facts, provenancePath]) +
    perRuleByte * bytesOf([bundlePaths.rules]) +
    // Sets of all entities, or scores, that a query holds at a time.
    (modesOf({ modes }).includes('sets') ? 64 : 8) * 4 * model.entities;
  return { runtime, weights, opening: stored, data, total: runtime + weights + stored + data };
}
