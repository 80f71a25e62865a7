import { writeFileWhole } from '@fuzzqe/files';
import { mostBatchBytes } from '../store/check-batch.ts';
import { encodeNet } from '../store/encode-net.ts';
import { createNetChanges } from '../store/net-changes.ts';
import { batchLine, type CompactionHeader, headerLine } from './fact-line.ts';
import { readBatches } from './read-batches.ts';
import { emptySegment, noteLine, type Segment } from './segment.ts';

/** What is compacted: all batches of segments that nothing is appended to any more. */
export interface Compaction {
  readonly folder: string;
  /** Number of the new segment. */
  readonly number: number;
  readonly segments: readonly Segment[];
  readonly header: CompactionHeader;
  /** Bytes after which a further batch begins. */
  readonly batchBytes?: number;
}

/**
 * Writes the last change of each fact as a segment of its own; the segments before are left as they are.
 *
 * @throws FuzzError `storage`: the disk refuses; nothing has changed then. `data`: damage.
 */
export async function compactLog(compaction: Compaction): Promise<Segment> {
  const { folder, number, segments, header, batchBytes = mostBatchBytes } = compaction;
  const net = createNetChanges();
  for await (const batch of readBatches({ segments, after: 0 })) net.add(batch);
  const bodies = await encodeNet(net, batchBytes);
  const segment = emptySegment(folder, 'net', number, header.compacted);
  await writeFileWhole(segment.path, async (file) => {
    const write = async (pieces: readonly Uint8Array[], epoch: number | undefined): Promise<void> => {
      const line = Buffer.concat(pieces);
      await file.write(line);
      noteLine(segment, line.length, epoch);
    };
    await write(headerLine(header), undefined);
    for (const [i, body] of bodies.entries()) {
      const epoch = header.compacted - bodies.length + 1 + i;
      await write(batchLine(epoch, epoch - 1, body), epoch);
    }
  });
  return segment;
}
