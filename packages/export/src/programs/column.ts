import { reshape, slice, type Tensor } from '@fuzzqe/core/tensor';

/** One slot of every query. Shapes: [batch, slots] → [batch]. */
export const column = (slots: Tensor, at: number): Tensor => reshape(slice(slots, at, at + 1, 1), ['batch']);
