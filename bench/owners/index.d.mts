import type { Random } from '@fuzzqe/core';

export type OwnersGraph = 'family' | 'museum' | 'films';

export const owners: Readonly<
  Record<
    OwnersGraph,
    { readonly file: string; make(random: Random, sizes?: Readonly<Record<string, number>>): string }
  >
>;

export function ownersText(name: OwnersGraph, seed: number): string;
