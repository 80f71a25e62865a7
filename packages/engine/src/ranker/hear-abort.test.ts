import { expect, it, vi } from 'vitest';
import { hearAbort } from './hear-abort.ts';

it('tells all that hear of a signal, of which it has one listener, and none that stopped', () => {
  const controller = new AbortController();
  const listen = vi.spyOn(controller.signal, 'addEventListener');
  const heard: number[] = [];
  const stops = Array.from({ length: 30 }, (_, i) => hearAbort(controller.signal, () => heard.push(i)));
  for (const stop of stops.slice(10)) stop();
  hearAbort(controller.signal, () => stops[0]!());
  controller.abort();
  expect(heard).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  expect(listen).toHaveBeenCalledTimes(1);
});
