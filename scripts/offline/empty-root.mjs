import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readdirSync, realpathSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { run } from './run.mjs';

/**
 * A place with nothing but what is put at `home`, and how to run a program there: in a root of its own that has only a
 * shell and the C and C++ libraries, with no network, where this user may make one; else in a folder with an empty
 * environment. Programs are named by their path inside `home`.
 */
export function emptyRoot(root, home) {
  const inner = `/${home}`;
  const outer = join(root, home);
  mkdirSync(join(root, 'tmp'), { recursive: true });
  const environment = { HOME: '/tmp', PATH: '/nonexistent', LANG: 'C.UTF-8' };
  const unshare = ['--net', '--mount', '--pid', '--fork'];
  if (process.getuid() === 0 && spawnSync('unshare', [...unshare, 'true']).status === 0) {
    for (const file of ['/bin/sh', ...nativeFiles(outer)])
      for (const needed of file === '/bin/sh' ? [file, ...librariesOf(file)] : librariesOf(file))
        place(root, needed);
    mkdirSync(join(root, 'proc'));
    // A file will do as what is read as nothing; the machine's own /dev is kept out of a folder that is deleted.
    mkdirSync(join(root, 'dev'));
    writeFileSync(join(root, 'dev/null'), '');
    const script = `mount=$1 chroot=$2 root=$3; shift 3
      "$mount" -t proc proc "$root/proc" && exec "$chroot" "$root" /bin/sh -c 'cd /tmp && exec "$0" "$@"' "$@"`;
    const [tool, mount, chroot] = ['unshare', 'mount', 'chroot'].map(pathOf);
    return {
      description: 'a root of its own without a network',
      start: (program, args) => [
        tool,
        [...unshare, '/bin/sh', '-c', script, 'sh', mount, chroot, root, join(inner, program), ...args],
        { env: environment },
      ],
    };
  }
  const noNetwork = spawnSync('unshare', ['--net', '--map-root-user', 'true']).status === 0;
  return {
    description: `a folder with an empty environment${noNetwork ? ' and no network' : '; this user cannot take the network away'}`,
    start: (program, args) => {
      const command = [join(outer, program), ...args];
      const options = { env: { ...environment, HOME: join(root, 'tmp') }, cwd: join(root, 'tmp') };
      if (!noNetwork) return [command[0], command.slice(1), options];
      return [
        run('sh', ['-c', 'command -v unshare']).trim(),
        ['--net', '--map-root-user', ...command],
        options,
      ];
    },
  };
}

const pathOf = (program) => run('sh', ['-c', `command -v ${program}`]).trim();

/** The programs and libraries of an unpacked archive. */
function nativeFiles(folder) {
  return readdirSync(folder, { recursive: true })
    .filter((path) => path === 'bin/node' || /\.(node|so(\.\d+)*)$/.test(path))
    .map((path) => join(folder, path));
}

function librariesOf(file) {
  const lines = run('ldd', [file]).split('\n');
  return lines.flatMap((line) => /(\/\S+) \(0x/.exec(line)?.[1] ?? []);
}

/** Copies a library of the system to the same place in the root; those of the archive are there. */
function place(root, path) {
  if (path.startsWith(root)) return;
  const target = join(root, path);
  if (existsSync(target)) return;
  mkdirSync(dirname(target), { recursive: true });
  copyFileSync(realpathSync(path), target);
}
