import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useApi } from '../../services.js';
import { ConfirmDialog } from '../../shell/confirm-dialog.js';
import { toast } from '../../ui/index.js';
import type { Job } from './use-job.js';

/** Asks for confirmation, deletes a finished job, and opens the list of jobs. */
export function DeleteJob({ job: { id, type }, onClose }: { job: Job; onClose: () => void }) {
  const api = useApi();
  const queries = useQueryClient();
  const navigate = useNavigate();
  return (
    <ConfirmDialog
      title={`Delete this ${type} job?`}
      verb="Delete"
      run={async () => {
        await api.jobs.delete(id);
        await navigate({ to: '/', search: {}, replace: true });
        queries.removeQueries({ queryKey: ['job', id] });
      }}
      onDone={() => toast.success('The job is deleted')}
      onClose={onClose}
    >
      Its payload, result, log and files are deleted now, and the text of its messages. They cannot be restored.
    </ConfirmDialog>
  );
}
