import { AUDIT_ACTIONS, DELIVERED_EVENTS, DELIVERY_STATUSES, NAME_PATTERN } from '@jobline/contracts';
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router';
import { LoginPage } from './features/auth/login-page.js';
import { RegisterPage } from './features/auth/register-page.js';
import { jobsSearch } from './features/jobs/model.js';
import { chatSearch, emailSearch, smsSearch } from './features/messages/model.js';
import { flag, instant, oneOf, plainSearch, search, text, textWith } from './search-params.js';
import type { Services } from './services.js';
import { meQuery, safeRedirect } from './session/use-session.js';
import { PageFailed, PageNotFound, PagePending } from './shell/page-frame.js';

const root = createRootRouteWithContext<Services>()({ component: Outlet, notFoundComponent: PageNotFound });

/** The pages outside the shell. Signed-in users can open those that emails link to; /login redirects them. */
const entrance = createRoute({ getParentRoute: () => root, id: 'entrance' });
/** The organization of the page, in links of emails: the tab switches to it. */
const appSearch = search({ org: text(64) });
/** The pages inside the shell. They are shown when the user is known. */
const app = createRoute({
  getParentRoute: () => root,
  id: 'app',
  component: lazyRouteComponent(() => import('./shell/shell.js'), 'Shell'),
  validateSearch: appSearch,
  beforeLoad: async ({ context: { api, queries, session }, location, search: { org } }) => {
    await session.ready;
    if (session.token() === null) throw redirect({ to: '/login', search: { next: location.href } });
    if (org === undefined) return;
    const me = await queries.ensureQueryData(meQuery(api));
    if (org !== me.org.id && me.orgs.some(({ id }) => id === org)) {
      session.move((await api.call('switchOrg', { body: { org_id: org } })).token);
      queries.clear();
    }
    const url = new URL(location.href, window.location.origin);
    url.searchParams.delete('org');
    throw redirect({ href: url.pathname + url.search + url.hash, replace: true });
  },
  loader: ({ context: { api, queries } }) => queries.ensureQueryData(meQuery(api)),
});

const inApp = () => app;
const atEntrance = () => entrance;

// A page is one statement here and one folder in `features/`. Its search parameters are loaded with the router; if the
// page uses them too, they are in its `model.ts`. `page.tsx` is loaded when the user opens the page.
const jobs = createRoute({
  getParentRoute: inApp,
  path: '/',
  validateSearch: jobsSearch,
  component: lazyRouteComponent(() => import('./features/jobs/page.js'), 'JobsPage'),
});
const job = createRoute({
  getParentRoute: inApp,
  path: '/job/$id',
  validateSearch: search({
    tab: oneOf(['log', 'payload', 'result', 'files']),
    /** The number of an attempt. The log then shows only its lines. */
    attempt: (value) => (/^[1-9]\d{0,6}$/.test(String(value)) ? Number(value) : undefined),
  }),
  component: lazyRouteComponent(() => import('./features/job/page.js'), 'JobPage'),
});
const schedules = createRoute({
  getParentRoute: inApp,
  path: '/schedules',
  validateSearch: search({ /** The open schedule. */ id: text(64), /** A part of the name. */ name: text(200) }),
  component: lazyRouteComponent(() => import('./features/schedules/page.js'), 'SchedulesPage'),
});
const email = createRoute({
  getParentRoute: inApp,
  path: '/email',
  validateSearch: emailSearch,
  component: lazyRouteComponent(() => import('./features/messages/email-page.js'), 'EmailPage'),
});
const sms = createRoute({
  getParentRoute: inApp,
  path: '/sms',
  validateSearch: smsSearch,
  component: lazyRouteComponent(() => import('./features/messages/sms-page.js'), 'SmsPage'),
});
const chat = createRoute({
  getParentRoute: inApp,
  path: '/chat',
  validateSearch: chatSearch,
  component: lazyRouteComponent(() => import('./features/messages/chat-page.js'), 'ChatPage'),
});
const templates = createRoute({
  getParentRoute: inApp,
  path: '/templates',
  validateSearch: search({
    id: text(64),
    new: flag(),
    /** A part of the names of the listed templates. */
    name: text(200),
    /** The example that a new template starts with. */
    from: oneOf(['welcome']),
    tab: oneOf(['edit', 'preview', 'data']),
  }),
  component: lazyRouteComponent(() => import('./features/templates/page.js'), 'TemplatesPage'),
});
const domains = createRoute({
  getParentRoute: inApp,
  path: '/domains',
  validateSearch: search({ tab: oneOf(['sender-ids']), /** The open domain. */ id: text(64) }),
  component: lazyRouteComponent(() => import('./features/domains/page.js'), 'DomainsPage'),
});
const limits = createRoute({
  getParentRoute: inApp,
  path: '/limits',
  validateSearch: search({ tab: oneOf(['types']), /** The name of the open limit. */ name: text(64) }),
  component: lazyRouteComponent(() => import('./features/limits/page.js'), 'LimitsPage'),
});
const webhooks = createRoute({
  getParentRoute: inApp,
  path: '/webhooks',
  validateSearch: search({
    /** The open webhook. */
    id: text(64),
    status: oneOf(DELIVERY_STATUSES),
    event: oneOf(DELIVERED_EVENTS),
    /** Deliveries about this job. */
    job: textWith((id) => NAME_PATTERN.test(id)),
    created_after: instant(),
    created_before: instant(),
    /** The HTTP status of the latest answer. */
    status_code: (value) => (Number(value) > 99 && Number(value) < 600 ? Number(value) : undefined),
    /** The open delivery. */
    delivery: text(64),
    /** Whether the secret of the webhook is being rotated. */
    rotate: flag(),
  }),
  component: lazyRouteComponent(() => import('./features/webhooks/page.js'), 'WebhooksPage'),
});
const team = createRoute({
  getParentRoute: inApp,
  path: '/team',
  validateSearch: search({
    invite: flag(),
    tab: oneOf(['activity']),
    action: oneOf(AUDIT_ACTIONS),
    /** The id of a user: only their activity. */
    actor: text(64),
    created_after: instant(),
    created_before: instant(),
  }),
  component: lazyRouteComponent(() => import('./features/team/page.js'), 'TeamPage'),
});
const keys = createRoute({
  getParentRoute: inApp,
  path: '/keys',
  validateSearch: search({
    new: flag(),
    /** Shows only the keys that this user has created. */
    created_by: text(64),
    /** The key whose details are open. */
    id: text(64),
    /** The key that is being changed. */
    change: text(64),
    /** The key that is being rotated. */
    rotate: text(64),
  }),
  component: lazyRouteComponent(() => import('./features/keys/page.js'), 'KeysPage'),
});
const settings = createRoute({
  getParentRoute: inApp,
  path: '/settings',
  component: lazyRouteComponent(() => import('./features/settings/page.js'), 'SettingsPage'),
});

const verify = createRoute({
  getParentRoute: inApp,
  path: '/verify',
  component: lazyRouteComponent(() => import('./features/verify/page.js'), 'VerifyPage'),
});

const loginSearch = search({ next: text(2_000), forgot: flag() });
const login = createRoute({
  getParentRoute: atEntrance,
  path: '/login',
  validateSearch: loginSearch,
  beforeLoad: async ({ context: { session }, search }) => {
    await session.ready;
    if (session.token() !== null) throw redirect({ href: safeRedirect(search.next) });
  },
  component: LoginPage,
});
const register = createRoute({
  getParentRoute: atEntrance,
  path: '/register',
  component: RegisterPage,
});
const join = createRoute({
  getParentRoute: atEntrance,
  path: '/join',
  validateSearch: search({ token: text() }),
  component: lazyRouteComponent(() => import('./features/auth/link-pages.js'), 'JoinPage'),
});
const reset = createRoute({
  getParentRoute: atEntrance,
  path: '/reset',
  validateSearch: search({ token: text() }),
  component: lazyRouteComponent(() => import('./features/auth/link-pages.js'), 'ResetPage'),
});

const routeTree = root.addChildren([
  app.addChildren([
    jobs,
    job,
    schedules,
    email,
    sms,
    chat,
    templates,
    domains,
    limits,
    webhooks,
    team,
    keys,
    settings,
    verify,
  ]),
  entrance.addChildren([login, register, join, reset]),
]);

type AppRouter = ReturnType<typeof createAppRouter>;

export function createAppRouter(services: Services) {
  return createRouter({
    routeTree,
    context: services,
    ...plainSearch,
    defaultPreload: 'intent',
    defaultErrorComponent: PageFailed,
    defaultPendingComponent: PagePending,
    defaultPendingMs: 150,
    defaultPendingMinMs: 0,
    scrollRestoration: true,
  });
}

declare module '@tanstack/react-router' {
  interface Register {
    router: AppRouter;
  }
}
