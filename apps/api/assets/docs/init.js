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
  // Requests go to where the page is from: no other address is allowed, and a token is given to nobody else.
  spec.servers = [{ url: new URL('.', location.href).href.replace(/\/$/, '') }];
  reference.replaceChildren();
  SwaggerUIBundle({
    spec,
    domNode: reference,
    deepLinking: true,
    docExpansion: 'list',
    defaultModelsExpandDepth: 0,
    // A token lives as long as the page does.
    persistAuthorization: false,
    validatorUrl: null,
    // There is one server only, and its choice has no name for those who do not see it.
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
