// Runs before anything is drawn, so that no page flashes in the wrong colours. A file of its own: the pages' policy
// allows no inline script. The choice is `light`, `dark` or nothing, which means the system's.
(() => {
  const system = matchMedia('(prefers-color-scheme: dark)');
  const apply = () => {
    let chosen = null;
    try {
      chosen = localStorage.getItem('jobline.theme');
    } catch {
      // a browser that keeps nothing: the system's
    }
    document.documentElement.dataset.theme =
      chosen === 'light' || chosen === 'dark' ? chosen : system.matches ? 'dark' : 'light';
  };
  apply();
  system.addEventListener('change', apply);
  addEventListener('storage', apply);
  addEventListener('jobline:theme', apply);
})();
