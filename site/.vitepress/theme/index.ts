import DefaultTheme from 'vitepress/theme';
import { h } from 'vue';
import { playgroundFrame } from './playground-frame.ts';
import './style.css';

export default {
  extends: DefaultTheme,
  Layout: () => h(DefaultTheme.Layout, null, { 'doc-footer-before': () => h(playgroundFrame) }),
};
