// What of the dependencies stays out of the offline archive, each with its reason. A rule that nothing meets any more
// stops the packing, so this list cannot go stale.

/** Dependencies that are not packed, with what only they need; `of` limits a rule to one dependent. */
export const leftOutPackages = [
  { name: /^@types\/|^@webgpu\/types$/, reason: 'declarations for TypeScript' },
  { of: 'onnxruntime-node', name: /^(adm-zip|global-agent)$/, reason: 'only its install script uses them' },
  {
    of: 'onnxruntime-web',
    name: /^(flatbuffers|guid-typescript|long|platform|protobufjs)$/,
    reason: 'its build for Node has none of them',
  },
  {
    of: '@tensorflow/tfjs-core',
    name: /^(node-fetch|long|seedrandom)$/,
    reason: 'bundled, or used only where Node has no fetch',
  },
];

/** Files that are not packed; `path` and `except` are matched against the path inside the package. */
export const leftOutFiles = [
  { path: /\.map$/, reason: 'source maps' },
  { path: /\.[cm]?ts$/, reason: 'TypeScript: Node runs what was built' },
  { path: /\.md$/i, except: /licen[cs]e|notice|copying/i, reason: 'documentation, licences apart' },
  { of: /^(fuzzqe|@fuzzqe\/.*)$/, path: /^dist\/(.*\/)?testing\//, reason: 'for tests' },
  {
    of: /^onnxruntime-node$/,
    path: /^bin\//,
    except: /^bin\/napi-v\d+\/linux\/x64\//,
    reason: 'native libraries of other platforms',
  },
  { of: /^onnxruntime-node$/, path: /^script\//, reason: 'the install script' },
  {
    of: /^onnxruntime-web$/,
    path: /^(dist|docs)\//,
    except: /^dist\/(ort\.node\.min\.m?js|ort-wasm-simd-threaded\.(mjs|wasm))$/,
    reason: 'builds for browsers and Workers',
  },
  {
    of: /^@tensorflow\/tfjs-/,
    path: /^dist\//,
    except: /^dist\/tf-[\w-]+\.node\.js$|^dist\/[\w-]+\.wasm$/,
    reason: 'builds for browsers and bundlers; Node loads one file of each package',
  },
  {
    of: /^@tensorflow\/tfjs-backend-wasm$/,
    path: /^wasm-out\//,
    reason: 'the same WebAssembly as in dist',
  },
  {
    of: /^webgpu$/,
    path: /^(dist|build)\//,
    except: /^dist\/linux-x64\//,
    reason: 'native libraries of other platforms',
  },
  {
    of: /^world-countries$/,
    path: /^(data|dist)\//,
    reason: 'maps, flags and other formats of countries.json',
  },
  { of: /^n3$/, path: /^(browser|src)\//, reason: 'builds for browsers and bundlers' },
  {
    of: /^protobufjs$/,
    path: /^(dist|google|ext)\//,
    reason: 'builds for browsers, and what compiles .proto files',
  },
  { of: /^hono$/, path: /^dist\/(cjs|types)\//, reason: 'its build for require' },
];

/** Files that are packed whatever the rules above say. */
const packedFiles = [
  { of: /^create-fuzzqe$/, path: /^dist\/template\// }, // `fuzzqe new` copies them
];

/** Applies the rules above and remembers which were met. */
export class Exclusions {
  #met = new Set();

  leavesOutPackage(dependent, name) {
    return this.#meets(
      leftOutPackages.find(
        (rule) => rule.name.test(name) && (rule.of === undefined || rule.of === dependent),
      ),
    );
  }

  leavesOutFile(name, path) {
    if (packedFiles.some((rule) => rule.of.test(name) && rule.path.test(path))) return false;
    return this.#meets(
      leftOutFiles.find(
        (rule) =>
          rule.path.test(path) && !rule.except?.test(path) && (rule.of === undefined || rule.of.test(name)),
      ),
    );
  }

  /** Rules that nothing met. */
  stale() {
    return [...leftOutPackages, ...leftOutFiles].filter((rule) => !this.#met.has(rule));
  }

  #meets(rule) {
    if (rule !== undefined) this.#met.add(rule);
    return rule !== undefined;
  }
}
