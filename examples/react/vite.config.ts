import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

export default defineConfig({
  plugins: [react()],
  // The web worker loads a part of its code on demand.
  worker: { format: 'es' },
});
