// Removes the libraries of onnxruntime-node for other systems than this one: keep-platform.mjs node_modules
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { arch, argv, platform } from 'node:process';

const binaries = join(argv[2], 'onnxruntime-node', 'bin');
for (const interfaceVersion of readdirSync(binaries)) {
  const systems = join(binaries, interfaceVersion);
  for (const system of readdirSync(systems)) {
    if (system !== platform) rmSync(join(systems, system), { recursive: true });
    else
      for (const kind of readdirSync(join(systems, system)))
        if (kind !== arch) rmSync(join(systems, system, kind), { recursive: true });
  }
}
