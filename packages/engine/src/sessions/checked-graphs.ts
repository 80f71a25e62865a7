import { type BundleSource, type GraphEntry, type Manifest, namedGraphs, profileOf } from '@fuzzqe/bundle';
import { FuzzError, schema } from '@fuzzqe/core';
import { modelConfigSchema } from '@fuzzqe/model';
import { checkOnnx, type OnnxModel, readStrictly } from '@fuzzqe/onnx/read';

/**
 * Returns a source that gives no graph of a profile but such as the exporter writes.
 *
 * A runtime runs whatever a graph says, so before one gets it: only the operators that the emitter has, by their rules, no
 * loops, functions, other domains or fields; called, taking and giving what the manifest says; weights from the files that
 * the manifest names, within their sizes; of this model and profile by its own account. `read` checks the bytes that it
 * returns, `verify` those that stand there, for runtimes that open a graph by its path.
 *
 * @throws FuzzError `bundle`, from `read` and `verify`: a graph that is none of this.
 */
export function checkedGraphs(source: BundleSource, manifest: Manifest, profileName: string): BundleSource {
  // A case is in the file of another graph.
  const graphs = namedGraphs(profileOf(manifest, profileName)).filter(
    ([, graph]) => graph.case === undefined,
  );
  const check = (path: string, bytes: Uint8Array): void => {
    for (const [name, graph] of graphs)
      if (graph.path === path) checkGraph(name, graph, bytes, manifest, profileName);
  };
  return {
    ...source,
    async read(path, most) {
      const bytes = await source.read(path, most);
      check(path, bytes);
      return bytes;
    },
    async verify(path) {
      await source.verify?.(path);
      if (graphs.some(([, graph]) => graph.path === path)) check(path, await source.read(path));
    },
  };
}

function checkGraph(
  name: string,
  graph: GraphEntry,
  bytes: Uint8Array,
  manifest: Manifest,
  profile: string,
): void {
  const { path, weights, inputs, outputs } = graph;
  const folder = path.slice(0, path.lastIndexOf('/') + 1);
  try {
    const model = readStrictly(bytes);
    checkOnnx(model, {
      externalSize: (location) =>
        weights.includes(folder + location) ? manifest.files[folder + location]?.bytes : undefined,
      signature: { name, inputs, outputs },
    });
    checkOrigin(model, manifest, profile);
  } catch (cause) {
    if (!(cause instanceof FuzzError)) throw cause;
    const where = cause.path === undefined ? '' : `${cause.path}: `;
    throw new FuzzError('bundle', `a graph that FuzzQE does not write: ${where}${cause.message}`, {
      path,
      hint: 'It did not run. Export the bundle again.',
      cause,
    });
  }
}

/** A graph says to which model and profile it belongs: one of another bundle may take and give the same. */
function checkOrigin({ metadataProps }: OnnxModel, manifest: Manifest, profile: string): void {
  const stated = new Map(metadataProps.map(({ key, value = '' }) => [key, value]));
  const expect = (key: string, expected: string, got = stated.get(key) ?? 'none'): void => {
    if (got !== expected) throw new FuzzError('bundle', `${key}: expected ${expected}, got ${got}`);
  };
  expect('fuzzqe.format', `${manifest.version}`);
  expect('fuzzqe.profile', profile);
  const model = schema.parseJson(modelConfigSchema, stated.get('fuzzqe.model') ?? 'null', {
    code: 'bundle',
    what: 'fuzzqe.model',
  });
  expect('fuzzqe.model', JSON.stringify(manifest.model), JSON.stringify(model));
}
