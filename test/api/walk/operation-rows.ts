import type { Row } from './row.js';

const nothing = () => ({});

/** The endpoints of the settings, and those that say how an organization is doing. */
export const OPERATION_ROWS: Readonly<Record<string, Row>> = {
  getSettings: { who: 'member', status: 200, ask: nothing },
  changeSettings: {
    who: 'admin',
    status: 200,
    ask: () => ({ body: { alerts: { email: true, failure_rate_percent: 50 } } }),
  },
  listAlerts: { who: 'admin', status: 200, ask: nothing },
  listProblems: { who: 'member', status: 200, ask: nothing },
  listFirstSteps: { who: 'admin', status: 200, ask: nothing },
  testAlerts: { who: 'admin', status: 202, ask: nothing },
};
