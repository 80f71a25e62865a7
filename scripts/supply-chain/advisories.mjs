/** Whether `version` is in one of the ranges of an advisory: from `introduced`, up to but without `fixed`. */
export function isAffected(version, affected) {
  return affected.some(
    ({ introduced = '0.0.0', fixed }) =>
      compareVersions(version, introduced) >= 0 &&
      (fixed === undefined || compareVersions(version, fixed) < 0),
  );
}

/** Negative, 0 or positive, as semantic versioning orders releases; what comes before a release is less than it. */
export function compareVersions(a, b) {
  const [left, right] = [a, b].map((version) => version.split('+')[0].split(/-(.*)/s));
  const [from, to] = [left, right].map(([release]) => release.split('.').map(Number));
  for (let i = 0; i < 3; i++) if (from[i] !== to[i]) return from[i] - to[i];
  return Number(left[1] === undefined) - Number(right[1] === undefined);
}

/**
 * What is known against the packages of a lockfile: `open` findings, those `accepted` with a reason, and acceptances that are
 * `idle`, since nothing meets them any more.
 */
export function findAdvisories(packages, { advisories, accepted }) {
  const found = packages.flatMap(({ name, version }) =>
    advisories
      .filter((advisory) => advisory.package === name && isAffected(version, advisory.affected))
      .map(({ id, severity, summary }) => ({ id, name, version, severity, summary })),
  );
  const reasonOf = ({ id, name }) => accepted.find((each) => each.id === id && each.package === name)?.reason;
  return {
    open: found.filter((finding) => reasonOf(finding) === undefined),
    accepted: found.flatMap((finding) =>
      reasonOf(finding) === undefined ? [] : [{ ...finding, reason: reasonOf(finding) }],
    ),
    idle: accepted.filter((each) => !found.some(({ id, name }) => id === each.id && name === each.package)),
  };
}

/** The findings in what `npm audit --json` prints; undefined where the registry did not answer it. */
export function findingsOfNpm(text) {
  let report;
  try {
    report = JSON.parse(text.slice(text.indexOf('{')));
  } catch {
    return undefined;
  }
  if (report.vulnerabilities === undefined) return undefined;
  const advisories = Object.values(report.vulnerabilities).flatMap(({ via }) =>
    via.filter((each) => typeof each === 'object'),
  );
  return advisories.map(({ name, url, severity, title, range }) => ({
    id: url.split('/').at(-1),
    name,
    version: range,
    severity,
    summary: title,
  }));
}
