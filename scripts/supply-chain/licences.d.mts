export interface Licence {
  readonly name: string;
  readonly version: string;
  readonly licence: string;
  /** The file with its text; undefined where the package brings none. */
  readonly file: string | undefined;
}

export const exceptions: Readonly<Record<string, string>>;
export function readLicences(): Licence[];
export function refused(licences: readonly Licence[]): Licence[];
export function licenceReport(licences: readonly Licence[]): string;
