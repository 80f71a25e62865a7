/** The names of the trained tensors of models; `parameterNamesOf` says which one has. */
export const parameterNames = [
  'entities',
  'coefficients',
  'bases',
  'biasBases',
  'setAttention',
  'setGate',
  'hopInput',
  'hopHidden',
  'hopOutput',
] as const;
/** The layers of families by distances, which no weight decay shrinks. */
export type LayerName = 'setAttention' | 'setGate' | 'hopInput' | 'hopHidden' | 'hopOutput';
export type ParameterName = (typeof parameterNames)[number];

/** Something of each trained tensor: entities, relations, and what all relations of some families share. */
export type OfParameters<T> = Readonly<
  Record<'entities' | 'coefficients', T> &
    Partial<Record<Exclude<ParameterName, 'entities' | 'coefficients'>, T>>
>;

/** One float32 array for each trained tensor. */
export type Parameters = OfParameters<Float32Array>;

/** How parameters start: small and centred, or as the paper's authors describe theirs. */
export const initialisationNames = ['centred', 'paper'] as const;
export type InitialisationName = (typeof initialisationNames)[number];
