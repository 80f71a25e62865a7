// What the main thread of a page does at a stretch, by Chromium's own trace.

/** By which the page's thread is found in a trace. */
const mark = 'end of the work';

/**
 * The longest task of a renderer's main thread while something is done, in milliseconds of the processor and of the clock: only
 * the clock's grow where other programs run.
 */
export async function longestTask(browser, page, work) {
  const categories = ['toplevel', 'disabled-by-default-devtools.timeline', 'blink.user_timing'];
  await browser.startTracing(page, { categories });
  await work();
  // The task that answered last is in the trace once it has ended, which is before the next one.
  await page.evaluate((name) => {
    performance.mark(name);
    return new Promise((resolve) => setTimeout(resolve));
  }, mark);
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString());
  const threadOf = ({ pid, tid }) => `${pid} ${tid}`;
  // A browser has pages of its own, which are none of this one's.
  const main = threadOf(traceEvents.find(({ name }) => name === mark));
  let [processor, clock] = [0, 0];
  for (const event of traceEvents) {
    if (!event.name.endsWith('RunTask') || threadOf(event) !== main) continue;
    // Microseconds.
    processor = Math.max(processor, (event.tdur ?? 0) / 1000);
    clock = Math.max(clock, (event.dur ?? 0) / 1000);
  }
  return { processor, clock };
}
