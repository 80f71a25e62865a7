// Puts onnxruntime-node's CUDA provider in place:
//
//   npm run gpu:install -- --cuda 12|13 [--index URL]
//
// 12 comes from NuGet by onnxruntime-node's own installer, 13 from the Python package onnxruntime-gpu of the same
// version; --index names another Python package index than PyPI.
import { parseArgs } from 'node:util';
import { installCuda } from '@fuzzqe/train';

const { values } = parseArgs({ options: { cuda: { type: 'string' }, index: { type: 'string' } } });
if (values.cuda !== '12' && values.cuda !== '13') {
  console.error('Which CUDA? npm run gpu:install -- --cuda 12 (or 13, as nvidia-smi says at the top right)');
  process.exit(2);
}
let shown = 0;
try {
  const { files, missing } = await installCuda({
    cuda: Number(values.cuda),
    ...(values.index === undefined ? {} : { index: values.index }),
    onProgress(done, total) {
      if (done - shown < 25e6 && done < total) return;
      shown = done;
      console.log(`${Math.round(done / 2 ** 20)} of ${Math.round(total / 2 ** 20)} MiB`);
    },
  });
  console.log(`Installed:\n  ${files.join('\n  ')}`);
  if (missing.length > 0) {
    console.log(`Not found on this machine, and needed: ${missing.join(', ')}`);
    console.log(
      `Install CUDA ${values.cuda}'s libraries and cuDNN 9, or name their folder in LD_LIBRARY_PATH.`,
    );
    process.exitCode = 1;
  } else console.log('Everything it needs is there. Try it: npm run --silent fuzzqe -- devices cuda');
} catch (error) {
  console.error(String(error));
  process.exitCode = 1;
}
