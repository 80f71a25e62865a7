// Holds the offline archive to its promise, after `npm run pack:offline`:
//
//   npm run test:offline [-- ARCHIVE]
//
// It is unpacked in an empty root, and goes the whole way there: data, queries, training, evaluation, export, parity,
// projects, demo.
import { spawnSync } from 'node:child_process';
import {
  closeSync,
  copyFileSync,
  mkdtempSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { templateNames } from 'create-fuzzqe/templates';
import { largest } from './offline/archive.mjs';
import { emptyRoot } from './offline/empty-root.mjs';
import { run } from './offline/run.mjs';

const work = mkdtempSync(join(tmpdir(), 'fuzzqe-offline-'));
let checks = 0;

function expect(holds, what, seen) {
  if (!holds) throw new Error(`${what}; seen:\n${seen}`);
  checks += 1;
}

function findArchive() {
  if (process.argv[2] !== undefined) return resolve(process.argv[2]);
  const folder = fileURLToPath(new URL('../dist/offline', import.meta.url));
  try {
    const name = readdirSync(folder).find((entry) => entry.endsWith('.tar.xz'));
    if (name !== undefined) return join(folder, name);
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
  }
  throw new Error('there is no archive: run npm run pack:offline');
}

const digestHolds = (folder, archive) =>
  spawnSync('sha256sum', ['--check', '--status', `${basename(archive)}.sha256`], { cwd: folder }).status ===
  0;

function checkBytes(archive) {
  const size = statSync(archive).size;
  expect(size <= largest, `the archive is at most ${largest} bytes`, size);
  expect(digestHolds(dirname(archive), archive), 'the digest is that of the archive', archive);
  // Negative control: one other byte.
  const folder = mkdtempSync(join(work, 'altered-'));
  const altered = join(folder, basename(archive));
  copyFileSync(archive, altered);
  copyFileSync(`${archive}.sha256`, `${altered}.sha256`);
  const file = openSync(altered, 'r+');
  writeSync(file, Buffer.from('?'), 0, 1, Math.floor(size / 2));
  closeSync(file);
  expect(!digestHolds(folder, altered), 'an altered archive has another digest', altered);
  rmSync(folder, { recursive: true });
}

function check() {
  const archive = findArchive();
  checkBytes(archive);
  const root = join(work, 'root');
  const home = `opt/${basename(archive, '.tar.xz')}`;
  run('mkdir', ['-p', join(root, 'opt')]);
  run('tar', ['-xJf', archive, '-C', join(root, 'opt')]);
  const place = emptyRoot(root, home);
  console.log(`In ${place.description}:`);

  const start = (program, args, environment = {}) => {
    const [command, all, options] = place.start(program, args);
    const { status, stdout, stderr } = spawnSync(command, all, {
      encoding: 'utf8',
      timeout: 240_000,
      ...options,
      env: { ...options.env, ...environment },
    });
    return { status, stdout, stderr, said: `exit ${status}\n${stdout}${stderr}` };
  };
  /** Runs a command that should succeed, and returns what it prints. */
  const fuzzqe = (...args) => {
    const started = performance.now();
    const { status, stdout, said } = start('fuzzqe', args);
    expect(status === 0, `fuzzqe ${args.join(' ')} succeeds`, said);
    console.log(`  ${((performance.now() - started) / 1000).toFixed(1)} s  fuzzqe ${args.join(' ')}`);
    return stdout;
  };

  const interfaces = start('bin/node', ['-p', 'JSON.stringify(os.networkInterfaces())']);
  const alone = place.description.endsWith('network')
    ? interfaces.stdout.trim() === '{}'
    : interfaces.status === 0;
  expect(alone, 'Node starts, and there is no network', interfaces.said);
  expect(
    home.includes(`-${fuzzqe('--version').trim()}-`),
    'the command has the version of the archive',
    home,
  );

  fuzzqe('data', 'countries', '--out', 'data');
  fuzzqe('data', 'sample', 'data', '--train', '40', '--valid', '4', '--test', '4');
  const training = ['--config', 'countries', '--json'];
  const cpu = JSON.parse(fuzzqe('train', 'data', '--out', 'run', '--steps', '20', ...training));
  expect(cpu.ended === 'finished' && cpu.step === 20, 'training ends at step 20', JSON.stringify(cpu));
  const wasm = JSON.parse(
    fuzzqe('train', 'data', '--out', 'wasm', '--steps', '2', '--device', 'tfjs:wasm', ...training),
  );
  expect(wasm.ended === 'finished' && wasm.step === 2, 'so does training on tfjs:wasm', JSON.stringify(wasm));

  const evaluation = JSON.parse(fuzzqe('evaluate', 'run', '--data', 'data', '--no-baselines', '--json'));
  const { mrr } = evaluation.columns[0].metrics.structures['1p'];
  expect(
    evaluation.queries.count === 56 && mrr > 0 && mrr < 1,
    '56 queries are ranked',
    JSON.stringify(evaluation),
  );

  fuzzqe('export', 'run', '--data', 'data', '--out', 'bundle', '--queries', '0');
  const few = ['--fresh', '2', '--trees', '2', '--json'];
  const parity = JSON.parse(fuzzqe('parity', 'bundle', '--runtimes', 'node,web', ...few));
  const compared = parity.cells
    .filter((cell) => cell.passed && cell.compared > 0)
    .map((cell) => cell.runtime);
  for (const runtime of ['node', 'web'])
    expect(
      parity.passed && compared.includes(runtime),
      `${runtime} agrees with float64`,
      JSON.stringify(parity),
    );
  const answers = fuzzqe('query', 'bundle', 'project(borders, France)');
  expect(/^ *1 {2}\S.* \d\.\d+( {2}recorded)?$/m.test(answers), 'a question is answered', answers);
  for (const template of templateNames) {
    fuzzqe('new', template, `project-${template}`);
    const written = readdirSync(join(root, 'tmp', `project-${template}`));
    expect(
      ['README.md', 'package.json', 'src'].every((name) => written.includes(name)),
      `the project of the template ${template} is whole`,
      written.join(),
    );
  }
  const demo = fuzzqe('demo', '--no-serve', '--steps', '10', '--out', 'demo');
  expect(demo.includes('6. Five questions'), 'the demo reaches its questions', demo);

  const hidden = () => readdirSync(join(root, 'tmp')).filter((name) => name.startsWith('.'));
  expect(hidden().length === 0, 'nothing hidden is left in the home', hidden().join());
  start('fuzzqe', ['query', 'bundle', 'project(borders, France)'], { ORT_DISABLE_TELEMETRY: '0' });
  expect(hidden().includes('.cache'), 'what telemetry leaves would be seen', hidden().join());

  const linked = join(work, 'linked');
  symlinkSync(join(root, home, 'fuzzqe'), linked);
  const { stdout } = spawnSync(linked, ['--version'], { encoding: 'utf8' });
  expect(home.includes(`-${stdout.trim()}-`), 'the launcher works through a symbolic link', stdout);

  const installer = start('fuzzqe', ['install-cuda', '--cuda', '12']);
  expect(
    installer.status === 8 && installer.stderr.includes('docs/offline.md'),
    'the CUDA provider cannot be fetched, and the command says what to do',
    installer.said,
  );

  // Negative controls: what is taken away is missed, and the command says so.
  const without = (path, ...args) => {
    const kept = join(root, home, path);
    renameSync(kept, `${kept}.away`);
    const result = start('fuzzqe', args);
    renameSync(`${kept}.away`, kept);
    return result;
  };
  const native = 'lib/node_modules/onnxruntime-node/bin/napi-v6/linux/x64/libonnxruntime.so.1';
  const noRuntime = without(native, 'train', 'data', '--out', 'other', '--steps', '1');
  expect(
    noRuntime.status > 0 && noRuntime.said.includes('libonnxruntime'),
    'without the native library, training fails and names it',
    noRuntime.said,
  );
  const noNode = without('bin/node', '--version');
  expect(
    noNode.status === 127 && noNode.stderr.includes('bin/node is missing'),
    'without Node, the launcher says what is missing',
    noNode.said,
  );
}

const started = performance.now();
try {
  check();
  console.log(`${checks} checks hold, in ${Math.round((performance.now() - started) / 1000)} s`);
} catch (error) {
  console.error(`test:offline: ${error.message}`);
  process.exitCode = 1;
} finally {
  rmSync(work, { recursive: true, force: true });
}
