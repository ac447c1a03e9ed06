// Runs before the first paint, so that no page flashes in the wrong colors. It is a separate file because the content
// security policy allows no inline script. The stored theme is `light`, `dark` or missing, which means the system theme.
(() => {
  const system = matchMedia('(prefers-color-scheme: dark)');
  const apply = () => {
    let chosen = null;
    try {
      chosen = localStorage.getItem('jobline.theme');
    } catch {
      // storage is not available: use the system theme
    }
    document.documentElement.dataset.theme =
      chosen === 'light' || chosen === 'dark' ? chosen : system.matches ? 'dark' : 'light';
  };
  apply();
  system.addEventListener('change', apply);
  addEventListener('storage', apply);
  addEventListener('jobline:theme', apply);
})();
