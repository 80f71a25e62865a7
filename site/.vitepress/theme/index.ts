// The fonts of the reader's system: those of the theme would be most of what a page loads.
import DefaultTheme from 'vitepress/theme-without-fonts';
import { h } from 'vue';
import { playgroundFrame } from './playground-frame.ts';
import './style.css';

export default {
  extends: DefaultTheme,
  Layout: () => h(DefaultTheme.Layout, null, { 'doc-footer-before': () => h(playgroundFrame) }),
};
