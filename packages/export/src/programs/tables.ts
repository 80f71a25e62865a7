import { parameter, type Tensor, toFloat } from '@fuzzqe/core/tensor';
import { type FamilyTable, familyOf, type ModelConfig, scoresWhole, type Tables } from '@fuzzqe/model';

/** The table of p_e of equation (1), [|E|, w]: a served graph has no free numbers. */
export const entityTable = 'entityEmbeddings';

/** The weights of a model's bundle, by the names that its graphs give them: entities, and the tables of its family. */
export function tablesOf(config: ModelConfig): readonly FamilyTable[] {
  const family = familyOf(config);
  const [rows, trained] = family.parameters(config).entities;
  const width = family.entityWidth?.(config) ?? trained!;
  return [{ name: entityTable, shape: [rows!, width] }, ...family.tables(config)];
}

/** The weights as parameters of a program, in float32 or float16; exact ones always in float32. */
export function tableParameters(config: ModelConfig, dtype: 'float' | 'half' = 'float'): Tables {
  return Object.fromEntries(
    tablesOf(config).map(({ name, shape, exact }) => [
      name,
      parameter(name, shape, exact === true ? 'float' : dtype),
    ]),
  );
}

/** A table's row as float32. */
export const asFloat = (table: Tensor): Tensor => (table.dtype === 'half' ? toFloat(table) : table);

/** 1 / ‖p_e‖ of every entity: a table of its own next to those of `tablesOf`. */
export const lengthsTable = 'entityInverseLengths';

/** The shape of `lengthsTable`; undefined where every p_e has length 1, or none is divided by it, so that there is no such table. */
export function lengthsShape(config: ModelConfig): readonly number[] | undefined {
  const { directions, positive } = familyOf(config);
  const isOfCosines = directions !== undefined && positive === undefined && !scoresWhole(config);
  return isOfCosines ? [config.entities] : undefined;
}

/** `1 / √(Σ_i p_e(i)² + 1e-12)`, computed in float64 and rounded once. Shapes: p_e [|E|, d] → [|E|]. */
export function inverseLengths({ entities, dimension: d }: ModelConfig, table: Float32Array): Float32Array {
  return Float32Array.from({ length: entities }, (_, e) => {
    let squares = 1e-12;
    for (let i = 0; i < d; i += 1) squares += table[e * d + i]! ** 2;
    return 1 / Math.sqrt(squares);
  });
}
