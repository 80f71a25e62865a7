/** Paths of health that admission answers at once, whatever else is going on. */
export const healthPaths: readonly string[] = ['/livez', '/readyz'];

/**
 * Paths of health that the application answers: they ask for no key, and no limit holds them up. Those of the Open Inference Protocol,
 * which KServe probes, say no more than the two above.
 */
export const applicationHealth: ReadonlySet<string> = new Set([
  '/healthz',
  '/v2/health/live',
  '/v2/health/ready',
]);

/** Paths of requests that wait for no others. */
export const urgentPaths: readonly string[] = [...healthPaths, ...applicationHealth];

/** Paths that no limit on requests under way holds up. */
export const unlimitedPaths: ReadonlySet<string> = new Set([...urgentPaths, '/metrics']);
