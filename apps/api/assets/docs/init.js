/* global SwaggerUIBundle */
const reference = document.getElementById('reference');
const dark = matchMedia('(prefers-color-scheme: dark)');

function followScheme() {
  document.documentElement.classList.toggle('dark-mode', dark.matches);
}

async function show() {
  const response = await fetch('openapi.json');
  if (!response.ok) throw new Error(`openapi.json: ${response.status}`);
  const spec = await response.json();
  // Requests go to the origin of this page. The page may not contact another one, and no other host gets a token.
  spec.servers = [{ url: new URL('.', location.href).href.replace(/\/$/, '') }];
  reference.replaceChildren();
  SwaggerUIBundle({
    spec,
    domNode: reference,
    deepLinking: true,
    docExpansion: 'list',
    defaultModelsExpandDepth: 0,
    // A token is kept only as long as the page is open.
    persistAuthorization: false,
    validatorUrl: null,
    // There is only one server, and the list of servers has no accessible name.
    plugins: [() => ({ wrapComponents: { ServersContainer: () => () => null } })],
  });
}

followScheme();
dark.addEventListener('change', followScheme);
show().catch((error) => {
  const note = document.createElement('p');
  note.className = 'jobline-note';
  note.textContent = `The reference cannot be shown (${error.message}). Reload the page to try again.`;
  reference.replaceChildren(note);
});
