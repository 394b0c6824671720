import './app.css';
import { App } from './app.tsx';
import { applyTheme, storedTheme } from './views/shell/theme.ts';
import { createRoot } from 'react-dom/client';
import { StrictMode } from 'react';

applyTheme(storedTheme());

const root = document.getElementById('root');
if (!root) throw new Error('The page has no element #root.');
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
