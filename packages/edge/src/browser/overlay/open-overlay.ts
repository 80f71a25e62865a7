import { FuzzError, type KnowledgeGraph, messageOf } from '@fuzzqe/core';
import { checkForms, checkOptions, type Engine, flag } from '@fuzzqe/engine';
import {
  checkBatch,
  createNetChanges,
  createSerial,
  engineFacts,
  type FactBatch,
  type FactChange,
  keyIds,
  type NewFactBatch,
  type NewKeys,
  nameFacts,
  nameNewFacts,
  readDelta,
  readSharedBatch,
} from '@fuzzqe/facts/apply';
import type { BrowserWarning } from '../browser-options.ts';
import { knownChanges } from './known-changes.ts';
import type { Overlay, OverlayChanged } from './overlay.ts';
import { databaseName, overlayDatabase } from './overlay-database.ts';

/** An overlay that follows other tabs until it is closed. */
export interface OpenOverlay extends Overlay {
  close(): void;
}

/** What tabs tell each other. */
interface OverlayNews {
  readonly overlay: string;
}

/** How many names that a bundle lacks are told. */
const mostTold = 10;

/**
 * Merges what is kept under a name into the answers of an engine, and keeps what is changed from now on.
 *
 * What cannot be read is told by `warn`, and answers are by the facts of the bundle.
 */
export async function openOverlay(
  engine: Engine,
  name: string,
  warn: (warning: BrowserWarning) => void,
): Promise<OpenOverlay> {
  const database = overlayDatabase(name);
  const place = `IndexedDB ${databaseName}, ${name}`;
  const facts = engineFacts(engine);
  const { facts: base } = engine;
  const inSerial = createSerial();
  let epoch = 0;
  let left: readonly FactChange[] = [];
  /** Keys that cleared batches created: this engine still has them, and the bundle lacks them. */
  const forgotten = { entities: new Set<string>(), relations: new Set<string>() };
  /** What has been changed in the engine. */
  let net = createNetChanges();
  const warnOf = (message: string): void => warn({ code: 'overlay', message });

  /** Brings the engine to what is kept, and counts what each batch changed. */
  const advance = async (): Promise<ReadonlyMap<number, { added: number; removed: number }>> => {
    const kept = await database.read(epoch);
    const batches = kept.batches.map(({ epoch: of, json }) => readSharedBatch(json, `${place}, epoch ${of}`));
    if (kept.cleared > epoch) {
      const changes = undone(engine, base, net.changes());
      const { creates, names: given } = net.head();
      for (const kind of ['entities', 'relations'] as const)
        for (const key of creates?.[kind] ?? []) forgotten[kind].add(key);
      // Without the names that a batch gave.
      const names = given?.map(({ key, attributes = [] }) => ({
        ...{ key, label: null, aliases: null },
        attributes: attributes.map((each) => ({ ...each, values: null })),
      }));
      const batch = { epoch: kept.cleared, at: new Date().toISOString(), changes };
      await facts.change([{ ...batch, ...(names === undefined ? {} : { names }) }]);
      net = createNetChanges();
      left = [];
      epoch = kept.cleared;
    }
    const { usable, unknown } = knownChanges(engine.vocabulary, batches);
    const counts = await facts.change(usable);
    for (const batch of usable) net.add(batch);
    epoch = kept.epoch;
    if (unknown.names.size > 0) {
      left = [...left, ...unknown.changes];
      const names = [...unknown.names]
        .slice(0, mostTold)
        .map((each) => JSON.stringify(each))
        .join(', ');
      const more = unknown.names.size > mostTold ? ` and ${unknown.names.size - mostTold} more` : '';
      warnOf(
        `${unknown.changes.length} changes of facts of your own are left out: the bundle lacks ${names}${more}`,
      );
    }
    return new Map(usable.map(({ epoch: of }, i) => [of, counts[i]!]));
  };
  const channel = typeof BroadcastChannel === 'undefined' ? undefined : new BroadcastChannel(databaseName);
  const tell = (): void => channel?.postMessage({ overlay: name } satisfies OverlayNews);
  const tryAdvance = async (): Promise<void> => {
    try {
      await inSerial(advance);
    } catch (cause) {
      warnOf(`facts of your own are left out: ${messageOf(cause)}`);
    }
  };
  if (channel !== undefined)
    channel.onmessage = ({ data }: { readonly data: OverlayNews }) => {
      if (data.overlay === name) void tryAdvance();
    };

  /** Keeps batches, and makes them visible. */
  const append = (make: () => readonly NewFactBatch[]): Promise<OverlayChanged> =>
    inSerial(async () => {
      await advance();
      const before = epoch;
      const batches = make().map((batch) => createdAnew(batch, forgotten));
      if (batches.length === 0) return { epoch, added: 0, removed: 0 };
      const last = await database.append(
        batches.map((batch) => (of) => JSON.stringify({ epoch: of, ...batch })),
      );
      tell();
      const counts = await advance();
      let [added, removed] = [0, 0];
      // Another tab may have appended in between.
      for (let of = Math.max(before, last - batches.length) + 1; of <= last; of++) {
        added += counts.get(of)?.added ?? 0;
        removed += counts.get(of)?.removed ?? 0;
      }
      return { epoch, added, removed };
    });

  await tryAdvance();
  return {
    name,
    get epoch() {
      return epoch;
    },
    get left() {
      return left;
    },
    change(changes, options = {}) {
      checkOptions(options, { create: flag });
      const listed: unknown = changes ?? null;
      checkForms({ changes: listed }, { changes: ['a list of changes', Array.isArray] }, 'usage', '$', howTo);
      return append(() => {
        const at = new Date().toISOString();
        // Names of a batch are looked up only once it is known to be one.
        const checked = checkBatch({ at, changes });
        const named = checked.changes.map((change, i) => ({ ...change, place: `$[${i}]` }));
        if (options.create !== true) return [{ at, changes: nameFacts(engine.vocabulary, named) }];
        const { facts: all, creates } = nameNewFacts(engine.vocabulary, named);
        const isNew = creates.entities!.length + creates.relations!.length > 0;
        return [{ at, ...(isNew ? { creates } : {}), changes: all }];
      });
    },
    async export() {
      const { batches } = await database.read(0);
      return batches.map(({ json }) => `${json}\n`).join('');
    },
    async import(text) {
      checkForms(
        { batches: text ?? null },
        { batches: ['batches as NDJSON', (value) => typeof value === 'string'] },
        'usage',
        '$',
        howTo,
      );
      const read: FactBatch[] = [];
      for await (const batch of readDelta(bytesOf(/\n$|^$/.test(text) ? text : `${text}\n`), 'import'))
        read.push(batch);
      return append(() => {
        const { unknown } = knownChanges(engine.vocabulary, read);
        if (unknown.names.size > 0)
          throw new FuzzError(
            'vocabulary',
            `import: the bundle lacks ${[...unknown.names].slice(0, mostTold).join(', ')}`,
            {
              hint: 'Nothing is imported. Leave out the changes with these names, or have batches create them.',
            },
          );
        return read.map(({ epoch: _, idempotencyKey: _key, ...batch }) => batch);
      });
    },
    clear: () =>
      inSerial(async () => {
        await database.clear();
        tell();
        await advance();
      }),
    close() {
      channel?.close();
      database.close();
    },
  };
}

/** A batch that creates again the names of cleared batches that it has: without that, an engine lacks them after a reload. */
function createdAnew(
  batch: NewFactBatch,
  forgotten: Readonly<Record<keyof NewKeys, ReadonlySet<string>>>,
): NewFactBatch {
  const { changes, creates, names = [] } = batch;
  const used = {
    entities: [...changes.flatMap(({ head, tail }) => [head, tail]), ...names.map(({ key }) => key)],
    relations: changes.map(({ relation }) => relation),
  };
  const anew = (kind: keyof NewKeys): string[] => [
    ...new Set([...(creates?.[kind] ?? []), ...used[kind].filter((key) => forgotten[kind].has(key))]),
  ];
  const [entities, relations] = [anew('entities'), anew('relations')];
  return entities.length + relations.length === 0 ? batch : { ...batch, creates: { entities, relations } };
}

const howTo = 'As change([{ does: "add", head, relation, tail }]), and import(await overlay.export()).';

/** The changes after which facts are as they were opened. */
function undone(engine: Engine, base: KnowledgeGraph, changes: Iterable<FactChange>): FactChange[] {
  return Array.from(changes, ({ head, relation, tail }) => {
    const ids = keyIds(engine.vocabulary, { head, relation, tail });
    const [from, along, to] = ids;
    const isOld = Math.max(from, to) < base.entityCount && along < base.relationCount;
    return { does: isOld && base.has(from, along, to) ? 'add' : 'remove', head, relation, tail };
  });
}

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(text);
}
