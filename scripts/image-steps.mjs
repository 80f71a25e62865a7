// Builds the image of the Dockerfile by its steps where there is no Docker, and starts it as Docker would:
//
//   sudo node scripts/image-steps.mjs OUT [--bundle FOLDER]
//
// Each stage is a folder of OUT that is a root of its own (chroot in a mount namespace); instead of its base image it sees this
// system's programs, so that its Node is the one here. With a bundle the last stage runs its command on it, as the user of the
// Dockerfile and with nothing that it may write to: its health check has to pass, a query is asked, and SIGTERM has to end it with 0.
// Needs Linux, root and the network of npm.
import { execFileSync, spawn } from 'node:child_process';
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const source = fileURLToPath(new URL('..', import.meta.url));

/** The instructions of a Dockerfile: `{name, text}`, continued lines joined and comments left out. */
export function instructionsOf(dockerfile) {
  return dockerfile
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll(/\\\n/g, ' ')
    .split('\n')
    .map((line) => /^(?<name>[A-Z]+)\s+(?<text>.*)$/.exec(line.trim())?.groups)
    .filter((instruction) => instruction !== undefined)
    .map(({ name, text }) => ({ name, text: text.trim() }));
}

/** Its stages, the last of which is the image. */
export function stagesOf(dockerfile) {
  const stages = [];
  for (const { name, text } of instructionsOf(dockerfile)) {
    if (name === 'FROM') {
      const [, image, , alias] = /^(\S+)(\s+AS\s+(\S+))?$/i.exec(text);
      stages.push({ image, alias: alias ?? `${stages.length}`, steps: [], env: {}, workdir: '/' });
      continue;
    }
    const stage = stages.at(-1);
    if (name === 'ENV') for (const [, key, value] of text.matchAll(/(\w+)=(\S+)/g)) stage.env[key] = value;
    else if (name === 'WORKDIR') stage.workdir = text;
    else if (name === 'USER') stage.user = text;
    else if (name === 'ENTRYPOINT') stage.entrypoint = JSON.parse(text);
    else if (name === 'CMD') stage.command = JSON.parse(text);
    else if (name === 'HEALTHCHECK') stage.health = JSON.parse(/CMD\s+(\[.*\])$/.exec(text)[1]);
    else if (name === 'COPY' || name === 'RUN') stage.steps.push({ name, text, workdir: stage.workdir });
    else if (!['EXPOSE', 'LABEL'].includes(name))
      throw new Error(`expected an instruction that is known here, got ${name}`);
  }
  return stages;
}

/** What git has of the working tree and .dockerignore lets pass. */
export function contextFiles(files, ignored) {
  const patterns = ignored.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  const isIgnored = (path) =>
    patterns.some((pattern) =>
      pattern.startsWith('**/')
        ? path.split('/').includes(pattern.slice(3))
        : path === pattern || path.startsWith(`${pattern}/`),
    );
  return files.filter((path) => !isIgnored(path));
}

const systemFolders = ['/usr', '/bin', '/sbin', '/lib', '/lib64', '/etc', '/dev', '/proc'];
const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;

/** The shell command that runs a command within a root. */
function within(root, command, { workdir, user, mounts = [], isReadOnly = false }) {
  const lines = ['set -e', `mount --bind ${quoted(root)} ${quoted(root)}`];
  for (const folder of systemFolders) {
    if (!existsSync(folder)) continue;
    const place = join(root, folder);
    if (lstatSync(folder).isSymbolicLink()) {
      if (lstatSync(place, { throwIfNoEntry: false }) === undefined) symlinkSync(readlinkSync(folder), place);
      continue;
    }
    mkdirSync(place, { recursive: true });
    lines.push(`mount --rbind ${folder} ${quoted(place)}`);
  }
  for (const [folder, at] of mounts) {
    mkdirSync(join(root, at), { recursive: true });
    lines.push(`mount --bind ${quoted(folder)} ${quoted(join(root, at))}`);
  }
  if (isReadOnly) lines.push(`mount -o remount,bind,ro ${quoted(root)}`);
  const spec = user === undefined ? '' : `--userspec=${user} `;
  lines.push(`exec chroot ${spec}${quoted(root)} /bin/sh -c ${quoted(`cd ${workdir} && ${command}`)}`);
  return ['unshare', ['--mount', '/bin/sh', '-c', lines.join('\n')]];
}

function copy(stage, roots, context, { text, workdir }) {
  const [, from, paths] = /^(?:--from=(\S+)\s+)?(.*)$/.exec(text);
  const [origin, target] = paths.split(/\s+/);
  const to = resolve(workdir, target);
  if (from === undefined) {
    if (origin !== '.') throw new Error(`expected COPY of the whole context, got ${origin}`);
    for (const path of context) {
      mkdirSync(join(stage.root, to, dirname(path)), { recursive: true });
      cpSync(join(source, path), join(stage.root, to, path), { verbatimSymlinks: true });
    }
    return;
  }
  mkdirSync(dirname(join(stage.root, to)), { recursive: true });
  cpSync(join(roots.get(from), origin), join(stage.root, to), { recursive: true, verbatimSymlinks: true });
}

const megabytes = (folder) =>
  Number(execFileSync('du', ['-sm', folder], { encoding: 'utf8' }).split('\t')[0]);

async function serve(stage, bundle) {
  const words = [...stage.entrypoint, ...stage.command].map(quoted).join(' ');
  const env = { PATH: process.env.PATH, ...stage.env, FUZZQE_SERVE_PORT: '0' };
  const { workdir, user } = stage;
  const options = { workdir, user, mounts: [[resolve(bundle), '/bundle']], isReadOnly: true };
  const [program, args] = within(stage.root, `exec ${words}`, options);
  const child = spawn(program, args, { env, stdio: ['ignore', 'inherit', 'pipe'] });
  const ended = new Promise((done) => child.once('exit', (code, signal) => done(code ?? signal)));
  let said = '';
  const url = await new Promise((done, fail) => {
    ended.then((code) => fail(new Error(`it ended with ${code}: ${said}`)));
    child.stderr.setEncoding('utf8').on('data', (part) => {
      said += part;
      const [found] = /http:\/\/[\w.:[\]]+/.exec(said) ?? [];
      if (found !== undefined) done(found);
    });
  });
  const { port } = new URL(url);
  const health = within(stage.root, `exec ${stage.health.map(quoted).join(' ')}`, { workdir, user });
  execFileSync(health[0], health[1], { env: { ...env, FUZZQE_SERVE_PORT: port } });
  const at = `http://127.0.0.1:${port}`;
  const { structures } = await (await fetch(`${at}/v1/structures`)).json();
  const asked = await fetch(`${at}/v1/query`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query: structures[0].example, k: 1 }),
  });
  const { answers } = await asked.json();
  const owner = readFileSync(`/proc/${child.pid}/status`, 'utf8').match(/^Uid:\s+(\d+)/m)[1];
  child.kill('SIGTERM');
  return { health: 'ok', status: asked.status, answer: answers?.[0]?.label, user: owner, ended: await ended };
}

async function main() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { bundle: { type: 'string' }, 'only-serve': { type: 'boolean', default: false } },
  });
  const out = resolve(positionals[0]);
  const stages = stagesOf(readFileSync(join(source, 'Dockerfile'), 'utf8'));
  const roots = new Map();
  const files = execFileSync('git', ['ls-files', '-z'], { cwd: source, encoding: 'utf8' });
  const ignored = readFileSync(join(source, '.dockerignore'), 'utf8');
  const context = contextFiles(files.split('\0').filter(Boolean), ignored).filter((path) =>
    existsSync(join(source, path)),
  );
  for (const stage of stages) {
    stage.root = join(out, stage.alias);
    roots.set(stage.alias, stage.root);
    if (values['only-serve']) continue;
    rmSync(stage.root, { recursive: true, force: true });
    mkdirSync(join(stage.root, 'tmp'), { recursive: true });
    for (const step of stage.steps) {
      console.error(`${stage.alias}: ${step.name} ${step.text}`);
      mkdirSync(join(stage.root, step.workdir), { recursive: true });
      if (step.name === 'COPY') copy(stage, roots, context, step);
      else {
        const mounts = [[homedir(), homedir()]];
        const [program, args] = within(stage.root, step.text, { workdir: step.workdir, mounts });
        execFileSync(program, args, { stdio: 'inherit', env: { ...process.env, ...stage.env } });
      }
    }
  }
  const image = stages.at(-1);
  const size = megabytes(join(image.root, image.workdir));
  const modules = megabytes(join(image.root, image.workdir, 'node_modules'));
  console.log(JSON.stringify({ base: image.image, node: process.version, megabytes: size, modules }));
  if (values.bundle !== undefined) console.log(JSON.stringify(await serve(image, values.bundle)));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
