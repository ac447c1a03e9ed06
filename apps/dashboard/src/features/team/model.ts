import type { InvitedRole, Role } from '@jobline/contracts';
import type { Option } from '../../ui/index.js';

export const ROLE_NAMES: Readonly<Record<Role, string>> = { owner: 'Owner', admin: 'Admin', member: 'Member' };

/** The roles with their article. */
export const A_ROLE: Readonly<Record<Role, string>> = { owner: 'an owner', admin: 'an admin', member: 'a member' };

const HINTS: Readonly<Record<Role, string>> = {
  owner: 'Full access, including the team.',
  admin: 'Manages jobs, messages, keys, domains and templates. Sees the team.',
  member: 'Manages jobs and messages. Sees domains and templates.',
};

export const ROLE_OPTIONS: readonly Option<Role>[] = [option('owner'), option('admin'), option('member')];
export const INVITED_ROLE_OPTIONS: readonly Option<InvitedRole>[] = [option('member'), option('admin')];

function option<R extends Role>(role: R): Option<R> {
  return { value: role, label: ROLE_NAMES[role], hint: HINTS[role] };
}
