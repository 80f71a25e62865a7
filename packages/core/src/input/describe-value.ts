/** A value from outside as an error shows it: its JSON, cut to 60 characters; never throws. */
export function describeValue(value: unknown): string {
  const text = describe(value);
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}

function describe(value: unknown): string {
  if (value === undefined) return 'nothing';
  // JSON has no NaN, no infinities and no bigint: it would say null, or throw.
  if (typeof value === 'number' || typeof value === 'bigint') return String(value);
  if (Array.isArray(value) && value.length > 20) return `an array of ${value.length}`;
  try {
    return JSON.stringify(value) ?? `a ${typeof value}`;
  } catch {
    return 'an object that is not JSON';
  }
}
