import { useMutation } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { ChevronsUpDown } from 'lucide-react';
import { createApi } from '../api/api-client.js';
import { useServices } from '../services.js';
import { ME_KEY, useMe } from '../session/use-session.js';
import { Menu, toast, toastStore } from '../ui/index.js';

/** Shows and switches the organization of this tab. Other tabs keep their organization. */
export function OrgSwitcher({ onNavigate }: { onNavigate?: (() => void) | undefined }) {
  const { org, orgs } = useMe();
  const { api, session, queries } = useServices();
  const router = useRouter();
  const change = useMutation({
    async mutationFn(orgId: string) {
      const { token } = await api.call('switchOrg', { body: { org_id: orgId } });
      const me = await createApi({ ...session, token: () => token }).auth.me();
      // The page is left before the session changes. Otherwise its drafts would be stored under the other organization.
      // No confirmation is needed, because the drafts are kept under this organization.
      await router.navigate({ to: '/', ignoreBlocker: true });
      session.move(token);
      queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== ME_KEY[0] });
      queries.setQueryData(ME_KEY, me);
      toastStore.clear();
      onNavigate?.();
    },
    onError: (error) => toast.error('The organization was not switched', { detail: error.message }),
  });

  const label = (
    <>
      <Initial name={org.name} />
      <span className="min-w-0 flex-1 truncate text-left font-medium">{org.name}</span>
    </>
  );
  if (orgs.length < 2) return <div className="flex h-9 items-center gap-2.5 px-2">{label}</div>;
  return (
    <Menu
      side="top"
      align="start"
      head="Your organizations"
      trigger={
        <button
          type="button"
          aria-label={`Organization: ${org.name}. Switch`}
          className="flex h-9 items-center gap-2.5 rounded-control px-2 transition-colors hover:bg-hover data-[state=open]:bg-hover max-md:h-11"
        >
          {label}
          <ChevronsUpDown aria-hidden="true" size={14} className="shrink-0 text-muted" />
        </button>
      }
      groups={[
        orgs.map(({ id, name, role }) => ({
          label: name,
          hint: role,
          checked: id === org.id,
          onSelect: () => id !== org.id && change.mutate(id),
        })),
      ]}
    />
  );
}

function Initial({ name }: { name: string }) {
  return (
    // CSS shows the initial, so it is not part of the button's visible text. Otherwise speech control would require an
    // accessible name that begins with the initial.
    <span
      aria-hidden="true"
      data-initial={[...name][0]?.toUpperCase()}
      className="grid size-5 shrink-0 place-items-center rounded-[5px] bg-accent text-meta font-semibold text-on-accent before:content-[attr(data-initial)]"
    />
  );
}
