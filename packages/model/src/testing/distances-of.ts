import { type StructureName, structures } from '@fuzzqe/core/query';
import { createProgram, evaluate, gather, input, numeric } from '@fuzzqe/core/tensor';
import type { ModelConfig } from '../config/config.ts';
import type { Parameters } from '../config/of-parameters.ts';
import { familyOf } from '../families/families.ts';
import { embedTemplate } from '../programs/embed-template.ts';
import { anchorVectors, entityEmbedding, logicOf, outerProjection } from '../programs/formulas.ts';
import { numericParameters, trainedParameters } from '../programs/parameters.ts';

/** A model of a family by distances, with trained numbers. */
export interface DistanceModel {
  readonly config: ModelConfig;
  readonly parameters: Parameters;
}

/** δ(q, e) of a query and every entity, by the tensor programs of a family. Shapes: → [|E|]. */
export function distancesOf(
  { config, parameters }: DistanceModel,
  name: StructureName,
  anchors: readonly number[],
  relations: readonly number[],
): number[] {
  const trained = trainedParameters(config);
  const vectors = entityEmbedding(config, trained.entities);
  const ids = (kind: string): ReturnType<typeof input> => input(kind, 'int', [1]);
  const embedding = embedTemplate(logicOf(config, trained), structures[name].template, {
    anchor: (slot) => anchorVectors(config, gather(vectors, ids(`a${slot}`))),
    project: (slot, from) =>
      outerProjection(
        config,
        { ...trained, coefficients: gather(trained.coefficients, ids(`r${slot}`)) },
        from,
      ),
    centroid: undefined,
  });
  const slots = [
    ...anchors.map((id, i) => [`a${i}`, id] as const),
    ...relations.map((id, i) => [`r${i}`, id] as const),
  ];
  const program = createProgram({
    name,
    inputs: slots.map(([slot]) => ids(slot)),
    outputs: { distances: familyOf(config).distances!(config, embedding, vectors) },
  });
  const feeds = Object.fromEntries(slots.map(([slot, id]) => [slot, numeric([1], Int32Array.of(id))]));
  const found = evaluate(program, { ...numericParameters(config, parameters), ...feeds });
  return Array.from(found['distances']!.data);
}
