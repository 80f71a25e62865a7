/** Where an element stands, as `bases[3, 0, 17]`. */
export function positionAt(name: string, shape: readonly number[], index: number): string {
  let rest = index;
  const place = shape.toReversed().map((dimension) => {
    const at = rest % dimension;
    rest = (rest - at) / dimension;
    return at;
  });
  return `${name}[${place.toReversed().join(', ')}]`;
}
