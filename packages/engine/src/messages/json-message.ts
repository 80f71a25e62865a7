/** Arrays of numbers that messages have, by what stands for them in JSON. */
const arrayKinds = {
  $float32: Float32Array,
  $float64: Float64Array,
  $int32: Int32Array,
  $uint8: Uint8Array,
} as const;

/** A message as JSON: arrays of numbers as base64 of their bytes, so that each number comes back as it was. */
export function messageToJson(message: unknown): string {
  return JSON.stringify(message, (_, value: unknown) => {
    for (const [name, Kind] of Object.entries(arrayKinds))
      if (value instanceof Kind) return { [name]: toBase64(value) };
    return value;
  });
}

/** The message that `messageToJson` wrote; undefined fields are left out of it. */
export function messageFromJson(text: string): unknown {
  return JSON.parse(text, (_, value: unknown) => {
    if (typeof value !== 'object' || value === null) return value;
    for (const [name, Kind] of Object.entries(arrayKinds)) {
      const base64: unknown = Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined;
      if (typeof base64 === 'string') return new Kind(fromBase64(base64));
    }
    return value;
  });
}

function toBase64({ buffer, byteOffset, byteLength }: ArrayBufferView): string {
  const bytes = new Uint8Array(buffer, byteOffset, byteLength);
  let text = '';
  for (let from = 0; from < bytes.length; from += 4096)
    text += String.fromCharCode(...bytes.subarray(from, from + 4096));
  return btoa(text);
}

function fromBase64(text: string): ArrayBuffer {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0)).buffer;
}
