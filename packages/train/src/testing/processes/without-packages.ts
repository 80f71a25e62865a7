import { spawnSync } from 'node:child_process';
import { inspectDevice } from '../../devices/inspect-device.ts';

/**
 * A process that looks at devices where some packages are not installed: `without-packages DEVICES PACKAGES`, both
 * separated by commas; prints a JSON line for each device.
 */
const [devices, packages] = process.argv.slice(2) as [string, string];
const inside = process.env['WITHOUT_PACKAGES'] === packages;
if (inside)
  for (const device of devices.split(','))
    process.stdout.write(`${JSON.stringify(await inspectDevice(device as 'cpu', { threads: 1 }))}\n`);
else {
  // In place before the first import, so that one that is not guarded fails.
  const { status } = spawnSync(
    process.execPath,
    ['--import', absence(packages.split(',')), process.argv[1]!, devices, packages],
    {
      stdio: 'inherit',
      env: { ...process.env, WITHOUT_PACKAGES: packages },
    },
  );
  process.exitCode = status ?? 1;
}

/** A module that makes Node find none of the packages. */
function absence(names: readonly string[]): string {
  const url = (source: string): string => `data:text/javascript,${encodeURIComponent(source)}`;
  const hooks = `export async function resolve(name, context, next) {
    if (!${JSON.stringify(names)}.includes(name)) return next(name, context);
    throw Object.assign(new Error('Cannot find package ' + name), { code: 'ERR_MODULE_NOT_FOUND' });
  }`;
  return url(`import { register } from 'node:module'; register(${JSON.stringify(url(hooks))});`);
}
