/** A module of one function with two instructions of SIMD, which is valid where there is SIMD. */
const simdModule = Uint8Array.of(
  ...[0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3],
  ...[2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11],
);

/** Whether this platform has WebAssembly with SIMD, without which the runtime's file does not compile. */
export function hasSimd(): boolean {
  return typeof WebAssembly === 'object' && WebAssembly.validate(simdModule);
}
