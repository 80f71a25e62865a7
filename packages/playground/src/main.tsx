import { signal } from '@preact/signals';
import { render } from 'preact';

const title = signal('FuzzQE playground');
const page = document.getElementById('page');
if (page !== null) render(<h1>{title}</h1>, page);
