import { FuzzError } from '@fuzzqe/core';
import type { DType, NumericTensor } from '@fuzzqe/core/tensor';
import type { Tensor } from '@tensorflow/tfjs-core';
import type { Backend } from '../backend/backend.ts';
import { download, upload } from './upload.ts';

/** Tensors on a backend by name: the weights of programs, or the state of a training run. */
export interface DeviceTensors {
  readonly backend: Backend;
  /**
   * The tensor of a name, which stays theirs.
   *
   * @throws FuzzError `shape`: there is none.
   */
  get(name: string): Tensor;
  /** Replaces a tensor by a copy of numbers. */
  write(name: string, value: NumericTensor, dtype?: DType): void;
  /** Replaces a tensor by one that is on the device, which becomes theirs. */
  put(name: string, tensor: Tensor): void;
  /**
   * A copy of a tensor.
   *
   * @throws FuzzError `shape`: there is none.
   */
  read(name: string): Promise<NumericTensor>;
  /** Frees all of them. */
  close(): void;
}

/**
 * No tensors yet.
 *
 * @example
 * const tensors = createDeviceTensors(await openBackend('cpu'));
 * tensors.write('entities', numeric([2, 3], [1, 0, 0.6, 0, 1, 0.8]));
 */
export function createDeviceTensors(backend: Backend): DeviceTensors {
  const tensors = new Map<string, Tensor>();
  const get = (name: string): Tensor => {
    const found = tensors.get(name);
    if (found === undefined) throw new FuzzError('shape', `there is no tensor "${name}" on the device`);
    return found;
  };
  const put = (name: string, tensor: Tensor): void => {
    tensors.get(name)?.dispose();
    tensors.set(name, tensor);
  };
  return {
    backend,
    get,
    put,
    write(name, value, dtype = 'float') {
      backend.activate();
      put(name, upload(value, dtype));
    },
    read: (name) => download(get(name)),
    close() {
      for (const tensor of tensors.values()) tensor.dispose();
      tensors.clear();
    },
  };
}
