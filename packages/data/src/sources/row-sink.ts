import { openFileSink } from './fetched-file.ts';

/** Writes rows as CSV, which the reader of tables takes. Memory: a MiB, or a row. */
export interface RowSink {
  /** Rows so far, without the titles. */
  readonly rows: number;
  readonly bytes: number;
  add(cells: readonly string[]): Promise<void>;
  /** Writes what waits, and closes the file. */
  close(): Promise<void>;
}

/** Characters that wait before they are written. */
const mostWaiting = 2 ** 20;

/** A new file of rows under those titles. Throws what `openFileSink` throws. */
export async function openRowSink(path: string, titles: readonly string[]): Promise<RowSink> {
  const file = await openFileSink(path);
  let waiting = '';
  let rows = 0;
  const flush = async (): Promise<void> => {
    await file.add(Buffer.from(waiting));
    waiting = '';
  };
  const write = async (cells: readonly string[]): Promise<void> => {
    waiting += `${cells.map(quoted).join(',')}\n`;
    if (waiting.length >= mostWaiting) await flush();
  };
  await write(titles);
  return {
    get rows() {
      return rows;
    },
    get bytes() {
      return file.bytes + waiting.length;
    },
    async add(cells) {
      rows++;
      await write(cells);
    },
    async close() {
      try {
        await flush();
      } finally {
        await file.close();
      }
    },
  };
}

/** A cell of CSV. Source: RFC 4180. A byte order mark is kept between quotes. */
function quoted(cell: string): string {
  return /[",\r\n\uFEFF]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
