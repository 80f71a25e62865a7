import { render } from 'preact';
import { Page } from './view/page.tsx';
import './style/tokens.css';
import './style/base.css';
import './view/frame/frame.css';
import './view/graph/graph.css';
import './view/builder/builder.css';
import './view/answers/answers.css';
import './view/pattern/pattern.css';
// After those that it changes.
import './style/forced-colors.css';
import './style/print.css';

const place = document.getElementById('page');
if (place !== null) render(<Page />, place);
