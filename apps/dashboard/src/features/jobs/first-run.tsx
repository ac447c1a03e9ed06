import { Link } from '@tanstack/react-router';
import { Play, Workflow } from 'lucide-react';
import { useState } from 'react';
import type { Submission } from '../../api/submit-job.js';
import { useCan } from '../../session/use-session.js';
import { Button, CodeBlock, cx, EmptyState, linkClasses, toast } from '../../ui/index.js';
import { curlOf } from './curl.js';
import { SAMPLE_TYPE, SAMPLES } from './samples.js';

const SAMPLE: Submission = { type: SAMPLE_TYPE, payload: { ...SAMPLES[SAMPLE_TYPE]?.payload }, max_retries: 3 };

/** Before the first job: one click that runs one, and the line with which a program does. */
export function FirstRun({ submit }: { submit: (body: Submission) => Promise<void> }) {
  const [busy, setBusy] = useState(false);
  const can = useCan();
  const run = async () => {
    setBusy(true);
    try {
      await submit(SAMPLE);
    } catch (error) {
      toast.error('The sample job was not submitted', { detail: error instanceof Error ? error.message : undefined });
    } finally {
      setBusy(false);
    }
  };
  return (
    <EmptyState
      icon={<Workflow />}
      title="No jobs yet"
      className="py-8!"
      actions={
        <div className="flex w-full min-w-0 flex-col items-center gap-4">
          <Button variant="primary" busy={busy} onClick={() => void run()} icon={<Play aria-hidden="true" />}>
            Run a sample job
          </Button>
          <div className="flex w-full max-w-xl min-w-0 flex-col gap-2">
            <p className="text-meta text-muted">
              Or from a program:{' '}
              {can('api_keys') ? (
                <>
                  <Link to="/keys" className={cx(linkClasses, 'underline')}>
                    create an API key
                  </Link>
                  , put it into <code className="font-mono">JOBLINE_KEY</code>, and run
                </>
              ) : (
                <>ask an owner or admin for an API key, put it into JOBLINE_KEY, and run</>
              )}
            </p>
            <CodeBlock code={curlOf(location.origin, SAMPLE)} label="curl" />
          </div>
        </div>
      }
    >
      The sample sums up a text. It reaches nobody, and you see it run here.
    </EmptyState>
  );
}
