import { type NumericTensor, numeric } from '@fuzzqe/core/tensor';

/**
 * How many columns of a matrix lie in a panel.
 *
 * Runtimes copy so many columns of a matrix at a time before they multiply by it. In WebAssembly that takes longer than the
 * product with a few rows where the rows of those columns lie a whole row of the matrix apart.
 */
export const panelWidth = 128;

/** The shape of a matrix as panels of its columns, of which the last is filled up with zeros. */
export const panelsShape = (rows: number, columns: number): readonly [number, number, number] => [
  Math.ceil(columns / panelWidth),
  rows,
  panelWidth,
];

/** Where an element of a matrix with so many rows lies in its panels. */
export const placeInPanels = (rows: number, row: number, column: number): number =>
  (Math.floor(column / panelWidth) * rows + row) * panelWidth + (column % panelWidth);

/** The matrix of some panels. Shapes: [panels, rows, width] → [rows, columns]. */
export function matrixOfPanels({ shape, data }: NumericTensor, columns: number): NumericTensor {
  const rows = shape[1]!;
  const matrix = new Int8Array(rows * columns);
  for (let row = 0; row < rows; row += 1)
    for (let column = 0; column < columns; column += 1)
      matrix[row * columns + column] = data[placeInPanels(rows, row, column)]!;
  return numeric([rows, columns], matrix);
}
