import './styles.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { createAppRouter } from './router.js';
import { createServices, ServicesContext } from './services.js';
import { SignInDialog } from './session/sign-in-dialog.js';
import { UiRoot } from './ui/index.js';

const services = createServices();
const router = createAppRouter(services);
// After a sign-out in this or another tab, the page must not show data any more. If the
// session arrives later from another tab, the sign-in page redirects to the page that the user wanted.
let wasSignedIn = services.session.token() !== null;
services.session.subscribe(() => {
  const isSignedIn = services.session.token() !== null;
  if (wasSignedIn && !isSignedIn) void router.navigate({ to: '/login' });
  if (!wasSignedIn && isSignedIn && router.state.location.pathname === '/login') void router.invalidate();
  wasSignedIn = isSignedIn;
});
addEventListener('keydown', services.shortcuts.handle);

const root = document.getElementById('root');
if (!root) throw new Error('index.html has no #root');
createRoot(root).render(
  <StrictMode>
    <ServicesContext value={services}>
      <QueryClientProvider client={services.queries}>
        <UiRoot>
          <RouterProvider router={router} />
          <SignInDialog />
        </UiRoot>
      </QueryClientProvider>
    </ServicesContext>
  </StrictMode>,
);
