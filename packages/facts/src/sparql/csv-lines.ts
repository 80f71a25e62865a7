/** The rows of CSV whose cells have no line feed, read as they come. */
export async function* csvRows(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<readonly string[]> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of chunks) {
    const lines = decoder.decode(chunk, { stream: true }).split('\n');
    lines[0] = rest + lines[0]!;
    rest = lines.pop()!;
    for (const line of lines) yield cellsOf(line);
  }
  if (rest !== '') yield cellsOf(rest);
}

function cellsOf(line: string): readonly string[] {
  const end = line.endsWith('\r') ? line.length - 1 : line.length;
  const cells: string[] = [];
  for (let at = 0; at <= end; ) {
    if (line[at] !== '"') {
      const comma = line.indexOf(',', at);
      const stop = comma === -1 ? end : comma;
      cells.push(line.slice(at, stop));
      at = stop + 1;
      continue;
    }
    let quote = line.indexOf('"', at + 1);
    while (quote !== -1 && line[quote + 1] === '"') quote = line.indexOf('"', quote + 2);
    const stop = quote === -1 ? end : quote;
    cells.push(line.slice(at + 1, stop).replaceAll('""', '"'));
    at = stop + 2;
  }
  return cells;
}
