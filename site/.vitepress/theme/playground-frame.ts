import { useData, withBase } from 'vitepress';
import { defineComponent, h, onBeforeUnmount, onMounted, ref } from 'vue';

/** Whether the playground was built into this site; config.ts defines it. */
declare const PLAYGROUND: boolean;

/** The playground in a frame at the end of the home page. It loads when the reader scrolls to it. */
export const playgroundFrame = defineComponent(() => {
  const { page } = useData();
  const address = withBase('/playground/index.html');
  const section = ref<HTMLElement>();
  const isSeen = ref(false);
  let observer: IntersectionObserver | undefined;
  onMounted(() => {
    if (section.value === undefined) return;
    observer = new IntersectionObserver((entries) => {
      isSeen.value ||= entries.some(({ isIntersecting }) => isIntersecting);
    });
    observer.observe(section.value);
  });
  onBeforeUnmount(() => observer?.disconnect());
  return () => {
    if (!PLAYGROUND || page.value.relativePath !== 'index.md') return null;
    return h('section', { class: 'try-it', ref: section }, [
      h('h2', { id: 'try-it' }, 'Try it'),
      h('p', [
        'This page answers in your browser and sends nothing to a server. ',
        h('a', { href: address, target: '_self' }, 'Open the playground in full'),
        '.',
      ]),
      h('iframe', {
        src: isSeen.value ? address : undefined,
        title: 'The playground, with countries of the world',
      }),
    ]);
  };
});
