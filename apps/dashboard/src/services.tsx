import type { Jobline } from '@jobline/client';
import { createContext, useContext } from 'react';
import { createApi, createQueryClient } from './api/api-client.js';
import { createShortcuts } from './keyboard/shortcuts.js';
import { createSession } from './session/session.js';
import { createStreams } from './streams/streams.js';
import { toast } from './ui/toast.js';

/** The services that all pages share. Created once, in main.tsx. */
export type Services = ReturnType<typeof createServices>;

export function createServices() {
  const queries = createQueryClient();
  const session = createSession({
    storage: sessionStorage,
    channel: new BroadcastChannel('jobline'),
    onSignedOut(token) {
      queries.clear();
      clearDrafts();
      toast.clear();
      endSession(token);
    },
  });
  const api = createApi(session);
  return {
    session,
    api,
    queries,
    streams: createStreams({
      open: (job, headers, signal) =>
        job === null
          ? api.open('followJobs', { headers }, { signal })
          : api.open('followJob', { path: { id: job }, headers }, { signal }),
      document,
    }),
    shortcuts: createShortcuts(),
  };
}

/** Begins the key of everything that a form keeps in sessionStorage. */
export const DRAFT_PREFIX = 'jobline.draft.';

/** Deletes the drafts of this tab, of every user and organization. */
function clearDrafts(): void {
  const keys = Object.keys(sessionStorage).filter((key) => key.startsWith(DRAFT_PREFIX));
  for (const key of keys) sessionStorage.removeItem(key);
}

/** Ends the session in the API. If the API cannot be reached, the tab still forgets its only copy of the token. */
function endSession(token: string): void {
  const headers = { Authorization: `Bearer ${token}` };
  fetch('/auth/logout', { method: 'POST', headers, keepalive: true }).catch(() => undefined);
}

export const ServicesContext = createContext<Services | null>(null);

export function useServices(): Services {
  const services = useContext(ServicesContext);
  if (!services) throw new Error('useServices needs a ServicesContext');
  return services;
}

export function useApi(): Jobline {
  return useServices().api;
}
