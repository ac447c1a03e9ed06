import { useNavigate } from '@tanstack/react-router';
import { Copy, Ellipsis, Filter, RotateCw, SquareArrowOutUpRight, X } from 'lucide-react';
import { copyText, IconButton, Menu } from '../../ui/index.js';
import type { Job } from './filters.js';
import { isEligible, type StartAction } from './use-job-actions.js';

/** The menu with the actions for one job. */
export function RowMenu({ job, start }: { job: Job; start: StartAction }) {
  const navigate = useNavigate();
  const { id, type, status } = job;
  const isFinished = !isEligible('cancel', job);
  return (
    <Menu
      trigger={<IconButton label={`Actions for ${type} ${id}`} tooltip="Actions" icon={<Ellipsis />} size="small" />}
      groups={[
        [
          {
            label: 'Open',
            icon: <SquareArrowOutUpRight />,
            keys: 'Enter',
            onSelect: () => void navigate({ to: '/job/$id', params: { id } }),
          },
          {
            label: 'Retry',
            icon: <RotateCw />,
            keys: 'r',
            disabled: !isEligible('retry', job),
            hint: isEligible('retry', job) ? undefined : 'Only failed jobs can be retried.',
            onSelect: () => start('retry', [job]),
          },
          {
            label: 'Cancel',
            icon: <X />,
            disabled: isFinished,
            hint: isFinished ? `This job is already ${status}.` : undefined,
            onSelect: () => start('cancel', [job]),
          },
        ],
        [
          { label: 'Copy ID', icon: <Copy />, onSelect: () => void copyText(id) },
          {
            label: `Only ${type}`,
            icon: <Filter />,
            onSelect: () => void navigate({ to: '/', search: (now) => ({ ...now, type }) }),
          },
        ],
      ]}
    />
  );
}
