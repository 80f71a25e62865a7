// What a process and all that it began take: on Linux alone, by /proc.
import { readdirSync, readFileSync } from 'node:fs';

/** Ticks of a second that /proc counts in. */
const ticks = 100;

/** Looks at a process and what it began, once a second; `end` gives seconds of CPU since it began and the most memory in MiB. */
export function watchTree(pid) {
  const read = () => {
    let [seconds, memory] = [0, 0];
    const own = treeOf(pid);
    for (const { id, fields } of own) {
      // Of ended children, what they took stands with whoever began them.
      seconds += fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0) / ticks;
      memory += shareOf(id);
    }
    return { seconds, memory };
  };
  const before = read();
  let most = before.memory;
  const timer = setInterval(() => {
    most = Math.max(most, read().memory);
  }, 1000).unref();
  return {
    end() {
      clearInterval(timer);
      const { seconds, memory } = read();
      return { seconds: seconds - before.seconds, memory: Math.max(most, memory) };
    },
  };
}

function treeOf(pid) {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const text = readFileSync(`/proc/${name}/stat`, 'utf8');
        return [{ id: Number(name), fields: text.slice(text.lastIndexOf(')') + 2).split(' ') }];
      } catch {
        return [];
      }
    });
  const own = all.filter(({ id }) => id === pid);
  for (const { id } of own) own.push(...all.filter(({ fields }) => Number(fields[1]) === id));
  return own;
}

/** Memory of a process in MiB; what several share is counted in parts. */
function shareOf(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
    return Number(/^Pss:\s+(\d+)/m.exec(text)?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}
