import { useData, withBase } from 'vitepress';
import { defineComponent, h } from 'vue';

/** Whether the playground was built into this site; config.ts defines it. */
declare const PLAYGROUND: boolean;

/** The playground in a frame, at the end of the home page. */
export const playgroundFrame = defineComponent(() => {
  const { page } = useData();
  const address = withBase('/playground/index.html');
  return () => {
    if (!PLAYGROUND || page.value.relativePath !== 'index.md') return null;
    return h('section', { class: 'try-it' }, [
      h('h2', { id: 'try-it' }, 'Try it'),
      h('p', [
        'This page answers in your browser and sends nothing to a server. ',
        h('a', { href: address, target: '_self' }, 'Open it in full'),
        '.',
      ]),
      h('iframe', { src: address, title: 'The playground, with countries of the world', loading: 'lazy' }),
    ]);
  };
});
