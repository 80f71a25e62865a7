import { render } from 'preact';
import { Page } from './view/page.tsx';
import './view/style.css';

const place = document.getElementById('page');
if (place !== null) render(<Page />, place);
