export const memoryMargin: number;
export function bundleBytes(of: {
  /** Of graphs and weights, as `profileSize` gives them; of several profiles their sum. */
  readonly profileBytes: number;
  readonly facts: number;
  /** Of the files of names, prefixes included. */
  readonly nameBytes: number;
}): number;
export function serveBytes(of: {
  readonly entities: number;
  readonly facts: number;
  readonly weights: number;
  readonly workers: number;
}): number;
export function queryMilliseconds(of: {
  readonly entities: number;
  readonly dimension: number;
  readonly mode: 'embedding' | 'sets';
}): number;
export function replicas(milliseconds: number, perSecond?: number): number;
export function sizingTable(): Promise<string>;
