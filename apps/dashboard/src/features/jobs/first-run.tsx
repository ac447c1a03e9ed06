import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Play, Workflow } from 'lucide-react';
import type { Submission } from '../../api/submit-job.js';
import { curlOf } from '../../product/curl.js';
import { SAMPLE_TYPE, SAMPLES } from '../../product/job/samples.js';
import { useCan } from '../../session/use-session.js';
import { Button, CodeBlock, cx, EmptyState, linkClasses, toast } from '../../ui/index.js';

const SAMPLE: Submission = { type: SAMPLE_TYPE, payload: { ...SAMPLES[SAMPLE_TYPE] }, max_retries: 3 };

/** Shown before the first job: a button that runs a sample job, and a curl command that submits it. */
export function FirstRun({ submit }: { submit: (body: Submission) => Promise<void> }) {
  const can = useCan();
  const run = useMutation({
    mutationFn: () => submit(SAMPLE),
    onError: ({ message }) => toast.error('The sample job was not submitted', { detail: message }),
  });
  return (
    <EmptyState
      icon={<Workflow />}
      title="No jobs yet"
      className="py-8!"
      actions={
        <div className="flex w-full min-w-0 flex-col items-center gap-4">
          <Button
            variant="primary"
            busy={run.isPending}
            onClick={() => run.mutate()}
            icon={<Play aria-hidden="true" />}
          >
            Run a sample job
          </Button>
          <div className="flex w-full max-w-xl min-w-0 flex-col gap-2">
            <p className="text-meta text-muted">
              Or use the API:{' '}
              {can('api_keys') ? (
                <>
                  <Link to="/keys" className={cx(linkClasses, 'underline')}>
                    create an API key
                  </Link>
                  , store it in <code className="font-mono">JOBLINE_KEY</code>, and run
                </>
              ) : (
                <>ask an owner or admin for an API key, store it in JOBLINE_KEY, and run</>
              )}
            </p>
            <CodeBlock code={curlOf(location.origin, SAMPLE)} label="curl" />
          </div>
        </div>
      }
    >
      The sample job summarizes a text. It sends nothing, and you can watch it run here.
    </EmptyState>
  );
}
