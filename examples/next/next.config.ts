import type { NextConfig } from 'next';

const config: NextConfig = {
  // Node loads it from node_modules: it holds native libraries, which no bundler packs.
  serverExternalPackages: ['fuzzqe'],
};

export default config;
