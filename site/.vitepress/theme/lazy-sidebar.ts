import { defineAsyncComponent, hydrateOnVisible } from 'vue';

/** The list of all pages, hydrated when it is seen: a phone opens the list on request, and its links work without. */
export default defineAsyncComponent({
  loader: () => import('vitepress/dist/client/theme-default/components/VPSidebarGroup.vue'),
  hydrate: hydrateOnVisible(),
});
