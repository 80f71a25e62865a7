/** Where an element stands, as `bases[3, 0, 17]`. */
export function positionAt(name: string, shape: readonly number[], index: number): string {
  let rest = index;
  const place = shape.toReversed().map((extent) => {
    const at = rest % extent;
    rest = (rest - at) / extent;
    return at;
  });
  return `${name}[${place.toReversed().join(', ')}]`;
}
