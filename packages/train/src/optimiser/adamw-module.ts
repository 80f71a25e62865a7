/**
 * The WebAssembly module of the AdamW kernels: functions over arrays, four numbers at a time.
 *
 * `update(parameter, gradient, sum, squareSum, end, kept, beta1, beta2, epsilon, length)` takes byte offsets, `end` that of
 * the parameter's end, and does for each element
 * `sum ← β₁·sum + g`, `squareSum ← β₂·squareSum + g²`, `x ← kept·x − (sum / (√squareSum + ε))·length`.
 * `accumulate(target, source, end)` does `target ← target + source`, with `end` that of the target's end.
 * Both have to run at least once; offsets are multiples of 16. Built once. Source: the WebAssembly core specification 2.0.
 */
export function adamWModule(): WebAssembly.Module {
  compiled ??= new WebAssembly.Module(Uint8Array.from(moduleBytes()));
  return compiled;
}

let compiled: WebAssembly.Module | undefined;

type Code = readonly number[];

const i32 = 0x7f;
const f32 = 0x7d;
const v128 = 0x7b;

/** An unsigned number in LEB128. */
function leb(value: number): Code {
  const bytes: number[] = [];
  let rest = value;
  do {
    const more = rest >= 0x80;
    bytes.push((rest & 0x7f) | (more ? 0x80 : 0));
    rest >>>= 7;
  } while (rest > 0);
  return bytes;
}

const text = (value: string): Code => [value.length, ...new TextEncoder().encode(value)];
const section = (id: number, content: Code): Code => [id, ...leb(content.length), ...content];
const simd = (opcode: number): Code => [0xfd, ...leb(opcode)];

const aligned16: Code = [4, 0];
const load: Code = [...simd(0x00), ...aligned16];
const store: Code = [...simd(0x0b), ...aligned16];
const splat = simd(0x13);
const sqrt = simd(0xe3);
const add = simd(0xe4);
const sub = simd(0xe5);
const mul = simd(0xe6);
const div = simd(0xe7);
const get = (local: number): Code => [0x20, local];
const set = (local: number): Code => [0x21, local];
const tee = (local: number): Code => [0x22, local];
const advance = (local: number): Code => [...get(local), 0x41, 16, 0x6a];

// Locals, in the order of the parameters; then the numbers in all four lanes, and what a round of the loop holds.
const [parameter, gradient, sum, squareSum, end] = [0, 1, 2, 3, 4] as const;
const numbers = [5, 6, 7, 8, 9] as const;
const [kept, beta1, beta2, epsilon, length] = [10, 11, 12, 13, 14] as const;
const [g, total, squareTotal] = [15, 16, 17] as const;
const [target, source, targetEnd] = [0, 1, 2] as const;

function moduleBytes(): Code {
  const body: Code = [
    ...numbers.flatMap((number, i) => [...get(number), ...splat, ...set(kept + i)]),
    ...[0x03, 0x40], // loop
    ...[...get(gradient), ...load, ...set(g)],
    ...[...get(sum), ...get(sum), ...load, ...get(beta1), ...mul, ...get(g), ...add, ...tee(total), ...store],
    ...[...get(squareSum), ...get(squareSum), ...load, ...get(beta2), ...mul],
    ...[...get(g), ...get(g), ...mul, ...add, ...tee(squareTotal), ...store],
    ...[...get(parameter), ...get(parameter), ...load, ...get(kept), ...mul],
    ...[...get(total), ...get(squareTotal), ...sqrt, ...get(epsilon), ...add, ...div],
    ...[...get(length), ...mul, ...sub, ...store],
    ...[gradient, sum, squareSum].flatMap((local) => [...advance(local), ...set(local)]),
    ...[...advance(parameter), ...tee(parameter), ...get(end), 0x49, 0x0d, 0], // branch back while below the end
    ...[0x0b, 0x0b],
  ];
  const accumulated: Code = [
    ...[0x03, 0x40], // loop
    ...[...get(target), ...get(target), ...load, ...get(source), ...load, ...add, ...store],
    ...[...advance(source), ...set(source)],
    ...[...advance(target), ...tee(target), ...get(targetEnd), 0x49, 0x0d, 0], // branch back while below the end
    ...[0x0b, 0x0b],
  ];
  const codes: readonly Code[] = [
    [1, 8, v128, ...body],
    [0, ...accumulated],
  ];
  const offsets = [i32, i32, i32, i32, i32];
  const type: Code = [0x60, offsets.length + numbers.length, ...offsets, ...numbers.map(() => f32), 0];
  return [
    ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, [2, ...type, 0x60, 3, i32, i32, i32, 0]),
    ...section(2, [1, ...text('adamw'), ...text('memory'), 2, 0, 0]),
    ...section(3, [2, 0, 1]),
    ...section(7, [2, ...text('update'), 0, 0, ...text('accumulate'), 0, 1]),
    ...section(10, [2, ...codes.flatMap((code) => [...leb(code.length), ...code])]),
  ];
}
