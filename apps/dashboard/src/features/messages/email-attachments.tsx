import { EMAIL_LIMITS } from '@jobline/contracts';
import { useMutation } from '@tanstack/react-query';
import { Paperclip, X } from 'lucide-react';
import { type ChangeEvent, type KeyboardEvent, useId, useRef, useState } from 'react';
import { type UseFormReturn, useController } from 'react-hook-form';
import { formatBytes } from '../../format/index.js';
import { useApi } from '../../services.js';
import { announce, Button, Field, IconButton, Input } from '../../ui/index.js';
import { type Attachment, type EmailDraft, readAttachment } from './draft.js';

/** The attachments: files, which are uploaded when they are chosen, and artifacts of jobs. */
export function AttachmentsField({ form }: { form: UseFormReturn<EmailDraft> }) {
  const { field, fieldState } = useController({ control: form.control, name: 'attachments' });
  const [isFromJob, setIsFromJob] = useState(false);
  const heading = useId();
  const hint = useId();
  const attach = useRef<HTMLButtonElement>(null);
  const input = useRef<HTMLInputElement>(null);
  const api = useApi();
  const all = field.value.map(readAttachment);
  const change = (what: string, next: Attachment[]) => {
    form.clearErrors('attachments');
    field.onChange(next.map((one) => JSON.stringify(one)));
    announce(what);
  };
  const add = (added: Attachment[]) => {
    const before = form.getValues('attachments').map(readAttachment);
    change(`${added.map(nameOf).join(', ')} attached`, [...before, ...added]);
  };
  const remove = (n: number) => {
    const rest = all.filter((_, i) => i !== n);
    change(`${nameOf(all[n])} removed`, rest);
    attach.current?.focus();
  };
  const upload = useMutation({
    mutationFn: async (files: readonly File[]) => {
      for (const file of files) {
        const { id, name, size } = await api.files.upload(file, { name: file.name });
        add([{ file: id, filename: name, size }]); // also if another file fails later
      }
    },
  });
  const choose = ({ target }: ChangeEvent<HTMLInputElement>) => {
    const files = [...(target.files ?? [])];
    target.value = ''; // so that the same file can be chosen again
    if (files.length > 0) upload.mutate(files);
  };
  const error = fieldState.error?.message ?? upload.error?.message;
  return (
    <fieldset aria-labelledby={heading} aria-describedby={hint} className="flex min-w-0 flex-col gap-2">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <span id={heading} className="text-body font-medium">
          Attachments
        </span>
        <div className="flex flex-wrap gap-2">
          <Button
            ref={attach}
            size="small"
            icon={<Paperclip />}
            busy={upload.isPending}
            onClick={() => input.current?.click()}
          >
            Attach files
          </Button>
          <Button size="small" aria-expanded={isFromJob} onClick={() => setIsFromJob(!isFromJob)}>
            From a job
          </Button>
        </div>
      </div>
      <input ref={input} type="file" multiple hidden aria-label="Files to attach" onChange={choose} />
      {isFromJob && <FromJob onAdd={add} />}
      {all.length > 0 && (
        <ul aria-label="Attachments" className="flex flex-col gap-1.5">
          {all.map((attachment, n) => (
            <li
              // biome-ignore lint/suspicious/noArrayIndexKey: the same file may be attached twice
              key={n}
              className="flex min-w-0 items-center justify-between gap-3 rounded-control border border-line bg-surface py-1 pr-1 pl-3"
            >
              <span className="min-w-0 text-body wrap-anywhere">
                {nameOf(attachment)} <span className="text-meta text-muted">{originOf(attachment)}</span>
              </span>
              <IconButton size="small" label={`Remove ${nameOf(attachment)}`} icon={<X />} onClick={() => remove(n)} />
            </li>
          ))}
        </ul>
      )}
      <div aria-live="polite">{error !== undefined && <p className="text-meta text-danger">{error}</p>}</div>
      <p id={hint} className="text-meta text-muted">
        Up to {EMAIL_LIMITS.attachments} files, {formatBytes(EMAIL_LIMITS.attachmentBytes)} together.
      </p>
    </fieldset>
  );
}

/** An artifact of a job, by the id of the job. */
function FromJob({ onAdd }: { onAdd: (attachments: Attachment[]) => void }) {
  const [job, setJob] = useState('');
  const [artifact, setArtifact] = useState('');
  const first = useRef<HTMLInputElement>(null);
  const add = () => {
    if (job.trim() === '') return;
    onAdd([{ job: job.trim(), ...(artifact.trim() !== '' && { artifact: artifact.trim() }) }]);
    setJob('');
    setArtifact('');
    first.current?.focus();
  };
  // The fields are in the form of the email, which Enter would send.
  const addOnEnter = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.ctrlKey) return;
    event.preventDefault();
    add();
  };
  return (
    <div className="flex items-end gap-2 max-sm:flex-col max-sm:items-stretch">
      <Field label="Job ID" className="flex-1">
        <Input ref={first} exact value={job} onChange={({ target }) => setJob(target.value)} onKeyDown={addOnEnter} />
      </Field>
      <Field label="Artifact (if it has several)" className="flex-1">
        <Input exact value={artifact} onChange={({ target }) => setArtifact(target.value)} onKeyDown={addOnEnter} />
      </Field>
      <Button onClick={add} disabledReason={job.trim() === '' ? 'Enter the ID of a job' : undefined}>
        Add
      </Button>
    </div>
  );
}

function nameOf(attachment: Attachment | undefined): string {
  if (!attachment) return '';
  return 'file' in attachment ? attachment.filename : (attachment.artifact ?? 'The only artifact');
}

function originOf(attachment: Attachment): string {
  return 'file' in attachment ? formatBytes(attachment.size) : `of job ${attachment.job}`;
}
