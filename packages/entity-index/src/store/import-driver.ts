import { importOptional } from '@fuzzqe/core';

/**
 * A driver, which is installed only by those who have its database. Its types are written here, so that nothing has to be installed to
 * compile this package.
 *
 * @throws FuzzError `runtime`: it is not installed, with the command that installs it.
 */
export function importDriver<Driver>(name: string, alongside: readonly string[] = []): Promise<Driver> {
  return importOptional(name, `npm install ${[name, ...alongside].join(' ')}`, async () => {
    const loaded: Readonly<Record<string, unknown>> = await import(name);
    // CommonJS packages have all that they export under `default`; the caller says what the driver has.
    return (loaded['default'] ?? loaded) as Driver;
  });
}
