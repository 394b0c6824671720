import './app.css';
import { App } from './app.tsx';
import { applyTheme, storedTheme } from './views/shell/theme.ts';
import { createRoot } from 'react-dom/client';
import { keepPresses } from './parts/presses.ts';
import { StrictMode } from 'react';

applyTheme(storedTheme());
keepPresses(document);

const root = document.getElementById('root');
if (!root) throw new Error('The page has no element #root.');
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
