import type { FirstStep } from '@jobline/contracts';
import { useQuery } from '@tanstack/react-query';
import { useLocation } from '@tanstack/react-router';
import { Circle, CircleCheck, ListTodo } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useApi } from '../services.js';
import { useCan, useMe } from '../session/use-session.js';
import { Button, isBoolean, Popover, useStored } from '../ui/index.js';
import { UrlLink } from './url-link.js';

const STEPS: Readonly<Record<FirstStep, { label: string; url: string }>> = {
  job: { label: 'Run a first job', url: '/?new=1' },
  api_key: { label: 'Create an API key', url: '/keys?new=1' },
  sender: { label: 'Verify a domain, or add a sender ID', url: '/domains' },
  template: { label: 'Write a template', url: '/templates?new=1' },
  teammate: { label: 'Invite a person', url: '/team?invite=1' },
  alert: { label: 'Choose who learns of failures', url: '/settings' },
};

type OnNavigate = (() => void) | undefined;

/** What is still to be set up in a new organization, for owners and admins. */
export function FirstSteps({ onNavigate }: { onNavigate: OnNavigate }) {
  const { org } = useMe();
  return useCan()('settings') && <Steps key={org.id} org={org.id} onNavigate={onNavigate} />;
}

function Steps({ org, onNavigate }: { org: string; onNavigate: OnNavigate }) {
  const api = useApi();
  const [isOver, setOver] = useStored<boolean>(`first-steps.${org}`, false, isBoolean);
  const [isOpen, setOpen] = useState(false);
  // A step is done on a page, so each page asks again.
  const path = useLocation({ select: ({ pathname }) => pathname });
  const { data } = useQuery({
    queryKey: ['listFirstSteps', path],
    queryFn: ({ signal }) => api.call('listFirstSteps', {}, { signal }),
    enabled: !isOver,
  });
  const hasEnded = data?.every(({ done }) => done);
  useEffect(() => {
    if (hasEnded && !isOver) setOver(true);
  });
  const openStep = () => {
    setOpen(false);
    onNavigate?.();
  };
  if (isOver || !data || hasEnded) return null;
  return (
    <Popover
      label="First steps"
      open={isOpen}
      onOpenChange={setOpen}
      trigger={
        <button
          type="button"
          className="flex h-9 items-center gap-2.5 rounded-control px-2 text-muted hover:bg-hover hover:text-text max-md:h-11"
        >
          <ListTodo size={20} strokeWidth={1.6} className="shrink-0" />
          First steps: {data.filter(({ done }) => done).length} of {data.length}
        </button>
      }
    >
      <ul className="mb-3 flex flex-col gap-2 text-body">
        {data.map(({ step, done }) => (
          <li key={step} className="flex items-center gap-2">
            {done ? (
              <>
                <CircleCheck size={16} className="text-done" />
                <span className="text-muted">
                  {STEPS[step].label} <span className="sr-only">(done)</span>
                </span>
              </>
            ) : (
              <>
                <Circle size={16} />
                <UrlLink url={STEPS[step].url} onOpen={openStep}>
                  {STEPS[step].label}
                </UrlLink>
              </>
            )}
          </li>
        ))}
      </ul>
      <Button size="small" variant="ghost" onClick={() => setOver(true)}>
        Do not show this again
      </Button>
    </Popover>
  );
}
