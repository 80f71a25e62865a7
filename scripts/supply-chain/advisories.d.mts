export interface Range {
  readonly introduced?: string;
  readonly fixed?: string;
}

export interface Advisory {
  readonly id: string;
  readonly package: string;
  readonly severity: string;
  readonly affected: readonly Range[];
  readonly summary: string;
}

export interface AdvisoryList {
  readonly advisories: readonly Advisory[];
  readonly accepted: readonly { readonly id: string; readonly package: string; readonly reason: string }[];
}

export interface Finding {
  readonly id: string;
  readonly name: string;
  readonly version: string;
  readonly severity: string;
  readonly summary: string;
  readonly reason?: string;
}

export function isAffected(version: string, affected: readonly Range[]): boolean;
export function compareVersions(a: string, b: string): number;
export function findAdvisories(
  packages: readonly { readonly name: string; readonly version: string }[],
  list: AdvisoryList,
): { readonly open: Finding[]; readonly accepted: Finding[]; readonly idle: AdvisoryList['accepted'] };
export function findingsOfNpm(text: string): Finding[] | undefined;
