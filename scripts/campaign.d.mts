/** Bundles a program of test/campaign; gives the path of what can be run. */
export function bundleCampaign(entry?: string, name?: string): Promise<string>;
