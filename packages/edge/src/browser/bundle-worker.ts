import { serveBundle } from './serve-bundle.ts';

serveBundle(() => import('./overlay/grow-bundle.ts'));
