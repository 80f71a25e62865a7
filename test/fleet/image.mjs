/**
 * usage: image.mjs BUNDLE [ROOT]: the command of the Dockerfile in a container of bubblewrap, as `docker run --read-only` has it.
 *
 * The command is process 1 of user 1000 without capabilities. It can write nothing, and the bundle lies at /bundle. Its memory is limited to
 * 2 GB if this machine has cgroups to write.
 *
 * ROOT is a folder with what the image has. Without it, the built packages of this checkout lie at /app, next to this machine's system.
 * The server has to become ready by the Dockerfile's own health check, answer a query, and end with 0 by SIGTERM. If bubblewrap is missing
 * or cannot make a container, the script says so. Node alone.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ask, endAll, freePorts, start, until } from './processes.mjs';

const [bundle, image] = process.argv.slice(2);
const root = fileURLToPath(new URL('../../', import.meta.url));
const dockerfile = readFileSync(join(root, 'Dockerfile'), 'utf8').replaceAll('\\\n', '');
const expectThat = (holds, what) => {
  if (!holds) throw new Error(what);
};
/** The last instruction of a name; a list is its words. */
const said = (name) => {
  const [, text] = [...dockerfile.matchAll(new RegExp(`^${name} +(.*)$`, 'gm'))].at(-1);
  const list = /\[.*\]$/.exec(text);
  return list === null ? text : JSON.parse(list[0]);
};
const environment = said('ENV')
  .split(' ')
  .map((each) => each.split(/=(.*)/s));
const [user, group] = said('USER').split(':');

const possible = spawnSync('bwrap', ['--unshare-user', '--unshare-pid', '--ro-bind', '/', '/', 'true'], {
  encoding: 'utf8',
});
if (possible.status !== 0) {
  process.stdout.write(`skipped: a container: ${possible.error?.message ?? possible.stderr}\n`);
  process.exit();
}

const readOnly = (from, to = from) => ['--ro-bind', from, to];
const ownNode = dirname(process.execPath);
const system = ['/usr', '/etc', ownNode].flatMap((folder) => readOnly(folder));
const links = ['bin', 'lib', 'lib64'].flatMap((name) => ['--symlink', `usr/${name}`, `/${name}`]);
const files =
  image === undefined
    ? [
        ...system,
        ...links,
        ...['node_modules', 'packages'].flatMap((name) => readOnly(join(root, name), `/app/${name}`)),
      ]
    : readOnly(image, '/');

/** A program in the container; the network is this machine's. */
const inContainer = (port, command) => [
  ...['--unshare-user', '--unshare-ipc', '--unshare-pid', '--unshare-uts', '--as-pid-1', '--die-with-parent'],
  ...['--uid', user, '--gid', group, '--cap-drop', 'ALL', '--clearenv'],
  ...files,
  ...['--proc', '/proc', '--dev', '/dev', ...readOnly(bundle, '/bundle'), '--remount-ro', '/'],
  ...[
    '--chdir',
    said('WORKDIR'),
    '--setenv',
    'PATH',
    `${image === undefined ? `${ownNode}:` : ''}/usr/local/bin:/usr/bin:/bin`,
  ],
  ...environment.flatMap(([name, value]) => ['--setenv', name, value]),
  ...['--setenv', 'FUZZQE_SERVE_PORT', port, ...command],
];
const run = async (port, command) => {
  const child = start('bwrap', inContainer(port, command), command[0]);
  return { code: await child.ended, said: child.said() };
};

const cgroup = `/sys/fs/cgroup/memory/fuzzqe-${process.pid}`;
let limited = true;
try {
  mkdirSync(cgroup);
} catch (error) {
  limited = false;
  process.stdout.write(`skipped: a limit of memory: ${error.message}\n`);
}
try {
  const [port] = (await freePorts(1)).map(String);
  // Negative controls: the container has another user than this script, and takes no file.
  const tried = await run(port, [
    ...[
      'node',
      '-e',
      "console.log('user', process.getuid()); require('node:fs').writeFileSync('/app/x', '')",
    ],
  ]);
  expectThat(tried.code === 1 && /user 1000\b/.test(tried.said) && /EROFS/.test(tried.said), tried.said);
  const health = () => run(port, said('HEALTHCHECK'));
  expectThat((await health()).code === 1, 'healthy without a server');

  const command = inContainer(port, [...said('ENTRYPOINT'), ...said('CMD')]);
  const limit = `echo 2G >${cgroup}/memory.limit_in_bytes && echo $$ >${cgroup}/cgroup.procs && `;
  const shell = `${limited ? limit : ''}exec bwrap --json-status-fd 3 "$@" 3>&1`;
  const server = start('sh', ['-c', shell, 'sh', ...command], 'server');
  await until('the health check of the image', async () => (await health()).code === 0);
  const body = JSON.stringify({ query: 'project(#0, #1)', k: 5 });
  const { status, text } = await ask(port, '/v1/query', body);
  expectThat(status === 200 && JSON.parse(text).answers !== undefined, `${status} ${text}`);
  const used = limited ? Number(readFileSync(`${cgroup}/memory.max_usage_in_bytes`, 'utf8')) : undefined;
  const [, pid] = /"child-pid": (\d+)/.exec(server.said());
  process.kill(Number(pid), 'SIGTERM');
  const code = await server.ended;
  expectThat(code === 0, `SIGTERM ended the server with ${code}: ${server.said()}`);
  const memory = used === undefined ? '' : `, ${(used / 1e6).toFixed(0)} MB of 2 GB at most`;
  process.stdout.write(
    `image: ready by its health check, answered, ended with 0 by SIGTERM as process 1 of user ${user}, nothing written${memory}\n`,
  );
} finally {
  await endAll();
  if (limited) rmdirSync(cgroup);
}
