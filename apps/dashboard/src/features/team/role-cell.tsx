import type { Role } from '@jobline/contracts';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Member } from '../../api/use-list.js';
import { patchList } from '../../api/use-list.js';
import { useApi } from '../../services.js';
import { useCan, useMe } from '../../session/use-session.js';
import { ConfirmDialog } from '../../shell/confirm-dialog.js';
import { announce, Select, Tooltip, toast } from '../../ui/index.js';
import { A_ROLE, ROLE_NAMES, ROLE_OPTIONS } from './model.js';

/**
 * The role of a member, which owners can change. The new role is shown immediately, and undone with an error if the API
 * fails.
 */
export function RoleCell({ member, isLastOwner }: { member: Member; isLastOwner: boolean }) {
  const { user } = useMe();
  const canChange = useCan()('members');
  const change = useRoleChange(member);
  const [stepDownTo, setStepDownTo] = useState<Role | null>(null);
  if (!canChange) return <>{ROLE_NAMES[member.role]}</>;
  if (isLastOwner) {
    return (
      <Tooltip content="The last owner keeps the role. Make another member an owner first.">
        <button type="button" aria-disabled="true" className="hit cursor-default! px-2 text-mono text-muted">
          {ROLE_NAMES[member.role]}
          <span className="sr-only">: the last owner keeps the role. Make another member an owner first.</span>
        </button>
      </Tooltip>
    );
  }
  const pick = (role: Role) => {
    if (role === member.role) return;
    if (member.id === user.id) setStepDownTo(role);
    else change(role).catch(() => undefined); // `change` has shown the error
  };
  return (
    <>
      <Select
        size="small"
        label={`Role of ${member.email}`}
        options={ROLE_OPTIONS}
        value={member.role}
        onChange={pick}
        className="min-w-26!"
      />
      {stepDownTo && (
        <ConfirmDialog
          title={`Become ${A_ROLE[stepDownTo]}?`}
          verb="Give up ownership"
          run={() => change(stepDownTo)}
          onDone={() => setStepDownTo(null)}
          onClose={() => setStepDownTo(null)}
        >
          You would no longer be able to change the team or your own role. Another owner could make you an owner again.
        </ConfirmDialog>
      )}
    </>
  );
}

function useRoleChange(member: Member): (role: Role) => Promise<void> {
  const api = useApi();
  const queries = useQueryClient();
  const { user } = useMe();
  return async (role) => {
    const isSelf = member.id === user.id;
    const undo = isSelf
      ? () => undefined // the page depends on the user's own role, so it is not shown before the API has changed it
      : await patchList(queries, 'listMembers', (rows) =>
          rows.map((row) => (row.id === member.id ? { ...row, role } : row)),
        );
    try {
      await api.call('changeRole', { path: { id: member.id }, body: { role } });
      announce(`${member.email} is now ${A_ROLE[role]}`);
      if (isSelf) await queries.invalidateQueries({ queryKey: ['me'] });
    } catch (error) {
      undo();
      const reason = error instanceof Error ? error.message : String(error);
      if (!isSelf) toast.error(`${member.email} is still ${A_ROLE[member.role]}`, { detail: reason });
      throw error;
    } finally {
      void queries.invalidateQueries({ queryKey: ['listMembers'] });
    }
  };
}
