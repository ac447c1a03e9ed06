import type { Role } from '@jobline/contracts';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { take } from '../../api/api-client.js';
import { patchList } from '../../api/use-list.js';
import { MEMBERS_KEY, type Member } from '../../api/use-members.js';
import { useApi } from '../../services.js';
import { useCan, useMe } from '../../session/use-session.js';
import { ConfirmDialog } from '../../shell/confirm-dialog.js';
import { announce, Select, Tooltip, toast } from '../../ui/index.js';
import { A_ROLE, ROLE_NAMES, ROLE_OPTIONS } from './roles.js';

/** A member's role; owners change it here. Shown at once, and taken back with the reason if the API refuses. */
export function RoleCell({ member, isLastOwner }: { member: Member; isLastOwner: boolean }) {
  const { user } = useMe();
  const canChange = useCan()('members');
  const change = useRoleChange(member);
  const [stepDownTo, setStepDownTo] = useState<Role | null>(null);
  if (!canChange) return <>{ROLE_NAMES[member.role]}</>;
  if (isLastOwner) {
    return (
      <Tooltip content="The last owner keeps the role. Make somebody else an owner first.">
        <button type="button" aria-disabled="true" className="hit cursor-default! px-2 text-mono text-muted">
          {ROLE_NAMES[member.role]}
          <span className="sr-only">: the last owner keeps the role. Make somebody else an owner first.</span>
        </button>
      </Tooltip>
    );
  }
  const pick = (role: Role) => {
    if (role === member.role) return;
    if (member.id === user.id) setStepDownTo(role);
    else change(role).catch(() => undefined); // it has said so
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
          You could not change the team any more, this included. Another owner could make you one again.
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
      ? () => undefined // the page changes with one's own role: not before it is so
      : await patchList<Member>(queries, MEMBERS_KEY, (rows) =>
          rows.map((row) => (row.id === member.id ? { ...row, role } : row)),
        );
    try {
      await take(api.PATCH('/org/members/{id}', { params: { path: { id: member.id } }, body: { role } }));
      announce(`${member.email} is ${A_ROLE[role]} now`);
      if (isSelf) await queries.invalidateQueries({ queryKey: ['me'] });
    } catch (error) {
      undo();
      const reason = error instanceof Error ? error.message : String(error);
      if (!isSelf) toast.error(`${member.email} is still ${A_ROLE[member.role]}`, { detail: reason });
      throw error;
    } finally {
      void queries.invalidateQueries({ queryKey: MEMBERS_KEY });
    }
  };
}
