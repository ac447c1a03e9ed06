/** The localStorage key that public/theme.js reads before the first paint. */
const KEY = 'jobline.theme';

export type Theme = 'system' | 'light' | 'dark';

export function chosenTheme(): Theme {
  const chosen = localStorage.getItem(KEY);
  return chosen === 'light' || chosen === 'dark' ? chosen : 'system';
}

export function chooseTheme(theme: Theme): void {
  if (theme === 'system') localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, theme);
  dispatchEvent(new Event('jobline:theme'));
}
