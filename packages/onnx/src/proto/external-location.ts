/**
 * What is wrong with the path of a file of weights, or nothing.
 *
 * onnxruntime and onnx.checker read only files inside the folder of the graph, so a path cannot lead out of it.
 */
export function locationProblem(location: string): string | undefined {
  if (location === '') return 'it is empty';
  if (/^([/\\]|[A-Za-z]:)/.test(location)) return 'it is not relative to the folder of the graph';
  if (location.split(/[/\\]/).includes('..')) return 'it leads out of the folder of the graph';
  return undefined;
}
