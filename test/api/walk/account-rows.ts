import type { Row } from './row.js';

const nothing = () => ({});

/** The endpoints of accounts, sessions and links. */
export const ACCOUNT_ROWS: Readonly<Record<string, Row>> = {
  register: {
    who: 'anybody',
    status: 201,
    ask: (of) => ({ body: { org_name: 'New', email: `${of.fresh()}@example.com`, password: 'correct horse' } }),
  },
  login: {
    who: 'anybody',
    status: 200,
    ask: ({ staff: { owner } }) => ({ body: { email: owner.email, password: owner.password } }),
  },
  logout: { who: 'member', status: 204, ask: nothing },
  me: { who: 'member', status: 200, ask: nothing },
  switchOrg: { who: 'member', status: 200, ask: ({ orgId }) => ({ body: { org_id: orgId } }) },
  changePassword: {
    who: 'member',
    status: 204,
    ask: ({ staff: { owner } }) => ({ body: { current_password: owner.password, new_password: owner.password } }),
  },
  forgotPassword: {
    who: 'anybody',
    status: 202,
    ask: async (of) => ({ body: { email: (await of.member()).email } }),
  },
  resetPassword: {
    who: 'anybody',
    status: 200,
    ask: async (of) => ({ body: { token: await of.resetToken(), password: 'a new password' } }),
  },
  // A token belongs to one user: test/api/org/notices.test.ts has the right one.
  verifyAddress: { who: 'member', status: 404, ask: (of) => ({ body: { token: of.fresh() } }) },
  sendVerification: {
    who: 'member',
    status: 202,
    ask: async (of) => {
      await of.forgetProofs();
      return {};
    },
  },
  checkInvite: {
    who: 'anybody',
    status: 200,
    ask: async (of) => ({ query: { token: (await of.invite()).token } }),
  },
  acceptInvite: {
    who: 'anybody',
    status: 200,
    ask: async (of) => ({ body: { token: (await of.invite()).token, password: 'a new password' } }),
  },
};
