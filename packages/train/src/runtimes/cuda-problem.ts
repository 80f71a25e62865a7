import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { runtimePackage } from '@fuzzqe/ort';

/** The files of the CUDA provider, which npm does not bring. */
export const cudaProviderFiles = [
  'libonnxruntime_providers_cuda.so',
  'libonnxruntime_providers_shared.so',
] as const;

/** What stands in the way of a device, and how to mend it. */
export interface DeviceProblem {
  readonly message: string;
  readonly hint: string;
}

const install = 'Install it: fuzzqe install-cuda --cuda 12 (or 13, as nvidia-smi says at the top right).';

/** What of CUDA is missing here, as far as files tell; undefined where nothing is. */
export function cudaProblem(folder: string = runtimePackage().libraries): DeviceProblem | undefined {
  const [cuda] = cudaProviderFiles;
  if (process.platform !== 'linux' || process.arch !== 'x64')
    return {
      message: `cuda: onnxruntime-node has no CUDA provider for ${process.platform} ${process.arch}`,
      hint: 'Use --device webgpu, which needs a driver only.',
    };
  if (!cudaProviderFiles.every((file) => existsSync(join(folder, file))))
    return { message: "cuda: onnxruntime-node's CUDA provider is not installed", hint: install };
  const missing = missingLibraries(join(folder, cuda));
  if (missing.length > 0)
    return { message: `cuda: ${missing.join(', ')} not found`, hint: adviceFor(missing) };
  return undefined;
}

/** The libraries that a shared library asks for and the loader does not find. */
export function missingLibraries(file: string): string[] {
  let text: string;
  try {
    text = execFileSync('ldd', [file], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  } catch (cause) {
    // Where nothing can be said, opening a session will tell.
    text = (cause as { readonly stdout?: string }).stdout ?? '';
  }
  return [...text.matchAll(/^\s*(\S+) => not found$/gm)].map(([, name]) => name!);
}

/** Which packages bring libraries that are missing. */
function adviceFor(missing: readonly string[]): string {
  const has = (pattern: RegExp): string | undefined => missing.find((name) => pattern.test(name));
  const version = /\.so\.(\d+)/.exec(has(/^lib(cudart|cublas|cublasLt|curand|cufft|nvrtc)\./) ?? '')?.[1];
  const cudnn = /\.so\.(\d+)/.exec(has(/^libcudnn/) ?? '')?.[1];
  const wanted = [
    ...(version === undefined
      ? []
      : [`the CUDA toolkit's libraries, version ${version === '11' ? 12 : version}`]),
    ...(cudnn === undefined ? [] : [`cuDNN ${cudnn}`]),
    ...(has(/^libcuda\./) === undefined ? [] : ['the NVIDIA driver']),
  ];
  return wanted.length === 0
    ? 'Install them, or name their folder in LD_LIBRARY_PATH.'
    : `Install ${wanted.join(' and ')}, or name their folder in LD_LIBRARY_PATH; if that is the other CUDA version, fuzzqe install-cuda with the other number.`;
}

/** What ONNX Runtime's message about a CUDA device means; undefined where it says nothing that is known. */
export function explainCudaError(message: string): DeviceProblem | undefined {
  if (/driver version is insufficient|CUDA failure 35\b/.test(message))
    return {
      message: "cuda: the driver is too old for the provider's CUDA version",
      hint: 'Update the NVIDIA driver, or fuzzqe install-cuda --cuda 12.',
    };
  if (/no CUDA-capable device|CUDA failure 100\b/.test(message))
    return { message: 'cuda: no NVIDIA GPU is visible', hint: 'Check nvidia-smi and CUDA_VISIBLE_DEVICES.' };
  if (/no kernel image is available|CUDA failure 209\b/.test(message))
    return {
      message: 'cuda: the provider has no kernels for this GPU',
      hint: 'fuzzqe install-cuda --cuda 13 for newer GPUs, 12 for older ones; or --device webgpu.',
    };
  if (/Failed to load (shared )?library/.test(message))
    return { message: "cuda: onnxruntime-node's CUDA provider does not load", hint: install };
  return undefined;
}
