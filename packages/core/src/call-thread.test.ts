import { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { type CalledThread, callThread, type Numbered } from './call-thread.ts';

type Question = Numbered & { readonly text?: string };

const threadOf = (script: string): CalledThread<Question, Question> => {
  const code = `import { parentPort } from 'node:worker_threads'; ${script}`;
  return callThread(new Worker(new URL(`data:text/javascript,${encodeURIComponent(code)}`)), 'the thread');
};
const echo = "parentPort.on('message', ({ id, text }) => parentPort.postMessage({ id, text: text + '!' }));";

describe('a thread that is asked', () => {
  it('answers each message, whatever the order', async () => {
    const thread = threadOf(echo);
    const answers = [2, 1, 3].map((id) => thread.ask({ id, text: `${id}` }));
    expect(await Promise.all(answers)).toEqual([2, 1, 3].map((id) => ({ id, text: `${id}!` })));
    await thread.close();
  });

  it.each([
    ['exits', "parentPort.on('message', () => process.exit(0));", /the thread failed: it exited with code 0/],
    ['exits before it is asked', 'process.exit(3);', /the thread failed: it exited with code 3/],
    [
      'throws',
      "parentPort.on('message', () => { throw new Error('broken'); });",
      /the thread failed: broken/,
    ],
    ['is no program', '}', /the thread failed: /],
  ])('that %s refuses all that wait for it, and whoever asks later', async (_, script, message) => {
    const thread = threadOf(script);
    const refused = { code: 'runtime', message: expect.stringMatching(message) };
    const waiting = [1, 2].map((id) => expect(thread.ask({ id })).rejects.toMatchObject(refused));
    await Promise.all(waiting);
    await expect(thread.ask({ id: 3 })).rejects.toMatchObject(refused);
    await thread.close();
  });

  it('that is closed refuses what waits for it', async () => {
    const thread = threadOf("parentPort.on('message', () => {});");
    const waiting = expect(thread.ask({ id: 1 })).rejects.toMatchObject({ code: 'interrupted' });
    await thread.close();
    await waiting;
  });
});
