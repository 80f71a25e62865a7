/**
 * Reads the body of an answer up to so many bytes; what follows is not waited for.
 *
 * @returns the bytes, at most `most`, and whether that is all of them.
 */
export async function readAtMost(
  { body }: Response,
  most: number,
): Promise<{ readonly bytes: Buffer; readonly isWhole: boolean }> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of body ?? []) {
    const part = piece.subarray(0, most - length);
    pieces.push(part);
    length += part.length;
    // Leaving the loop cancels the rest.
    if (part.length < piece.length) return { bytes: Buffer.concat(pieces), isWhole: false };
  }
  return { bytes: Buffer.concat(pieces), isWhole: true };
}
