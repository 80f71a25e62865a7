const floats = new Float32Array(1);
const bits = new Uint32Array(floats.buffer);

/**
 * A number as the 16 bits of IEEE 754 binary16, rounded to nearest, ties to even.
 *
 * Numbers from 65 520 on become infinite; those below 2⁻²⁵ become 0.
 */
export function encodeHalf(value: number): number {
  floats[0] = value;
  const word = bits[0]!;
  const sign = (word >>> 16) & 0x8000;
  const exponent = (word >>> 23) & 0xff;
  const fraction = word & 0x7f_ffff;
  if (exponent === 0xff) return sign | 0x7c00 | (fraction === 0 ? 0 : 0x200);
  // The number is `whole · 2^-drop` steps of a half: 13 bits fall away, and more where the half is subnormal.
  const place = exponent - 112;
  const drop = place > 0 ? 13 : 14 - place;
  if (drop > 24) return sign;
  const whole = fraction | (exponent === 0 ? 0 : 0x80_0000);
  const kept = whole >>> drop;
  const rest = whole & ((1 << drop) - 1);
  const middle = 1 << (drop - 1);
  const up = rest > middle || (rest === middle && (kept & 1) === 1) ? 1 : 0;
  // `kept` has the implicit bit where the half is normal, so that a carry moves into the exponent by itself.
  const half = kept + up + (place > 0 ? (place - 1) << 10 : 0);
  return sign | Math.min(half, 0x7c00);
}

/** The number that 16 bits of IEEE 754 binary16 stand for. */
export function decodeHalf(half: number): number {
  const sign = (half & 0x8000) === 0 ? 1 : -1;
  const exponent = (half >>> 10) & 0x1f;
  const fraction = half & 0x3ff;
  if (exponent === 0x1f) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return exponent === 0 ? sign * fraction * 2 ** -24 : sign * (1024 + fraction) * 2 ** (exponent - 25);
}
