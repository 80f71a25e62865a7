// Trains with tfjs:tensorflow on the TensorFlow library of a Python wheel:
//
//   node bench/peers/tfjs-tensorflow.mjs [--tensorflow 2.12.1] [--wheel tensorflow-cpu] [--into FOLDER] [--rebuild]
//                                        [-- COMMAND …]
//
// Copies the installed @tensorflow/tfjs-node-gpu to FOLDER (.tmp-tfjs-tensorflow), puts the wheel's library in its deps/,
// compiles its N-API binding and runs COMMAND with that package in place of the installed one. Without a COMMAND: the
// contract suite, then steps of bench/devices.mjs beside onnxruntime. With --into node_modules/@tensorflow/tfjs-node-gpu
// the installed package itself gets library and binding. Needs npm run build, Linux, g++, Python with pip.
import { spawnSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';

const root = resolve(import.meta.dirname, '../..');
const installed = join(root, 'node_modules/@tensorflow/tfjs-node-gpu');
const split = process.argv.indexOf('--');
const { values } = parseArgs({
  args: process.argv.slice(2, split < 0 ? undefined : split),
  options: {
    tensorflow: { type: 'string', default: '2.12.1' },
    wheel: { type: 'string', default: 'tensorflow-cpu' },
    into: { type: 'string', default: join(root, '.tmp-tfjs-tensorflow') },
    python: { type: 'string', default: 'python3' },
    rebuild: { type: 'boolean', default: false },
  },
});
const folder = resolve(values.into);
if (relative(root, folder).startsWith('..'))
  throw new Error(
    `--into ${folder}: its dependencies are those of the repository, so it has to lie in ${root}`,
  );
const version = `${values.wheel} ${values.tensorflow}`;
const suite = 'packages/train/src/runtimes/tfjs-runtime.long.test.ts';
// Only the library and what its C header files include.
const unpack = `
import glob, os, shutil, sys, zipfile
folder, deps = sys.argv[1:]
wheel = zipfile.ZipFile(glob.glob(folder + '/*.whl')[0])
for name in wheel.namelist():
    if name.startswith('tensorflow/libtensorflow_'):
        target = 'lib/' + os.path.basename(name)
    elif name.endswith('.h') and name.startswith(tuple('tensorflow/include/' + each for each in ('tensorflow/', 'tsl/', 'xla/tsl/'))):
        target = name[len('tensorflow/'):]
    else:
        continue
    path = os.path.join(deps, target)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with wheel.open(name) as source, open(path, 'wb') as file:
        shutil.copyfileobj(source, file)
if not os.path.exists(deps + '/lib/libtensorflow_cc.so.2'):
    sys.exit('This wheel has no libtensorflow_cc.so.2: TensorFlow has it from 2.12 on')
`;
const test = `npx vitest run --project long ${suite} --reporter verbose -t`.split(' ');
const steps = 'bench/devices.mjs --device cpu,tfjs:tensorflow --config small'.split(' ');
const commands =
  split >= 0
    ? [process.argv.slice(split + 1)]
    : [
        [...test, 'tfjs tensorflow'],
        [process.execPath, ...steps],
      ];

if (values.rebuild || !(await built())) await build();
const hook = JSON.stringify(new URL('tfjs-tensorflow-hook.mjs', import.meta.url));
const register = `import { register } from 'node:module'; register(${hook}, { data: ${JSON.stringify(folder)} });`;
const { env } = process;
env['NODE_OPTIONS'] =
  `${env['NODE_OPTIONS'] ?? ''} --import=data:text/javascript,${encodeURIComponent(register)}`;
env['TF_CPP_MIN_LOG_LEVEL'] ??= '2';
for (const [program, ...args] of commands) run(program, args, { cwd: root });

/** Whether the folder holds a binding on this version's library. */
async function built() {
  const names = await readdir(join(folder, 'deps')).catch(() => []);
  return names.includes(`${version} complete`);
}

/** The layout that binding.gyp and scripts/install.js of tfjs-node expect: deps/include, deps/lib, lib/napi-v8. */
async function build() {
  const deps = join(folder, 'deps');
  if (folder !== installed) {
    const present = await readdir(folder).catch(() => []);
    if (present.length > 0 && !present.includes('binding.gyp'))
      throw new Error(`--into ${folder}: the folder holds something else than TensorFlow.js's Node package`);
    await rm(folder, { recursive: true, force: true });
    await cp(installed, folder, { recursive: true });
  }
  await rm(deps, { recursive: true, force: true });
  await mkdir(join(deps, 'lib'), { recursive: true });
  const temporary = await mkdtemp(join(root, '.tmp-wheel-'));
  try {
    console.log(`Downloading ${version} …`);
    // The tag is that of the wheel alone: nothing of it runs in Python.
    const tag = ['--python-version', '3.10', '--only-binary=:all:', '--no-deps'];
    const name = `${values.wheel}==${values.tensorflow}`;
    run(values.python, ['-m', 'pip', 'download', '-q', ...tag, '--dest', temporary, name]);
    run(values.python, ['-c', unpack, temporary, deps]);
    await link('libtensorflow_cc.so.2', ['libtensorflow.so', 'libtensorflow.so.2', 'libtensorflow.so.2.9.1']);
    await link('libtensorflow_framework.so.2', [
      'libtensorflow_framework.so',
      'libtensorflow_framework.so.2.9.1',
    ]);
    run('npm', ['pack', '--silent', '--pack-destination', temporary, 'node-api-headers@1.5.0']);
    run('tar', ['xzf', join(temporary, 'node-api-headers-1.5.0.tgz'), '-C', temporary]);
    await compile(join(temporary, 'package/include'));
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
  await writeFile(join(deps, `${version} complete`), '');

  async function link(target, names) {
    for (const each of names) await symlink(target, join(deps, 'lib', each));
  }
}

/** What binding.gyp tells the compiler, without node-gyp, which would download Node's own headers. */
async function compile(headers) {
  const target = join(folder, 'lib/napi-v8');
  await mkdir(target, { recursive: true });
  const binding = join(target, 'tfjs_binding.node');
  const sources = ['tfjs_backend.cc', 'tfjs_binding.cc'].map((file) => join(folder, 'binding', file));
  const includes = [headers, join(folder, 'deps/include'), folder].flatMap((path) => ['-I', path]);
  const libraries = [`-L${join(folder, 'deps/lib')}`, '-ltensorflow', '-ltensorflow_framework'];
  const options = ['-std=c++17', '-O2', '-fPIC', '-shared', '-DNAPI_VERSION=8'];
  const rpath = '-Wl,-rpath,$ORIGIN/../../deps/lib';
  run('g++', [...options, ...includes, ...sources, '-o', `${binding}.part`, ...libraries, rpath]);
  await rename(`${binding}.part`, binding);
}

function run(program, args, options = {}) {
  const { status, error } = spawnSync(program, args, { stdio: 'inherit', ...options });
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`${program} ${args.slice(0, 3).join(' ')} … ended with ${status}`);
}
