import type { AliasKind } from '@fuzzqe/names';
import type { LiteralType } from './literal-type.ts';

/** Takes what is said of keys in literals, before anyone knows which of them are entities. */
export interface LiteralSink {
  name(key: string, kind: AliasKind, language: string, text: string): void;
  value(key: string, property: string, type: LiteralType, text: string): void;
}
