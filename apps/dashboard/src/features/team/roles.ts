import type { InvitedRole, Role } from '@jobline/contracts';
import type { Option } from '../../ui/index.js';

export const ROLE_NAMES: Readonly<Record<Role, string>> = { owner: 'Owner', admin: 'Admin', member: 'Member' };

/** What somebody is. */
export const A_ROLE: Readonly<Record<Role, string>> = { owner: 'an owner', admin: 'an admin', member: 'a member' };

const MAY: Readonly<Record<Role, string>> = {
  owner: 'Everything, the team included.',
  admin: 'Jobs and messages, keys, domains and templates; sees the team.',
  member: 'Jobs and messages; reads domains and templates.',
};

export const ROLE_OPTIONS: readonly Option<Role>[] = [option('owner'), option('admin'), option('member')];
export const INVITED_ROLE_OPTIONS: readonly Option<InvitedRole>[] = [option('member'), option('admin')];

function option<R extends Role>(role: R): Option<R> {
  return { value: role, label: ROLE_NAMES[role], hint: MAY[role] };
}
