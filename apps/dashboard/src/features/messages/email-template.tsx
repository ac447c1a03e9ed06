import type { Schemas } from '@jobline/client';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { UseFormReturn } from 'react-hook-form';
import { fillTemplate, readData, type TemplateData } from '../../api/use-filled-template.js';
import { useTemplatesOf } from '../../api/use-list.js';
import { useApi } from '../../services.js';
import { Badge, Button, Callout, Field, Select, Textarea, useUndo } from '../../ui/index.js';
import type { EmailDraft } from './model.js';

const NONE = 'none';

/** Fills a stored template and puts it into subject and body, where the user can still change it. */
export function EmailTemplate({ form }: { form: UseFormReturn<EmailDraft> }) {
  const api = useApi();
  const [id, setId] = useState<string | null>(null);
  const [data, setData] = useState('{}');
  const [dataError, setDataError] = useState<string | undefined>();
  /** The variables whose value was empty when the user filled in last. */
  const [empty, setEmpty] = useState<readonly string[]>([]);
  const undo = useUndo();
  const emails = useTemplatesOf('email') ?? [];
  const chosen = emails.find((template) => template.id === id);
  const fill = useMutation({
    mutationFn: ({ template, values }: { template: { id: string }; values: TemplateData }) =>
      fillTemplate(api, template, values),
  });
  const put = ({ subject, body, missing }: Schemas['Preview']) => {
    if (missing.length > 0) return;
    const before = form.getValues();
    form.setValue('subject', subject ?? before.subject);
    form.setValue('body', body);
    form.clearErrors(['subject', 'body']);
    setId(null);
    if (`${before.subject}${before.body}`.trim() === '') return;
    undo.offer('Subject and body were replaced', () => {
      form.setValue('subject', before.subject);
      form.setValue('body', before.body);
    });
  };
  const choose = (next: string) => {
    const variables = emails.find((template) => template.id === next)?.variables ?? [];
    setId(next === NONE ? null : next);
    setDataError(undefined);
    setEmpty([]);
    undo.clear();
    fill.reset(); // a running request belongs to the previous template, so its result is ignored
    setData(JSON.stringify(Object.fromEntries(variables.map((name) => [name, ''])), null, 2));
  };
  const insert = () => {
    const { data: values, error } = readData(data);
    setDataError(error);
    const names = chosen?.variables.filter((name) => values?.[name] === '') ?? [];
    setEmpty(names);
    // The second time, the user knows that they are empty.
    if (names.length > 0 && names.join() !== empty.join()) return;
    if (values && chosen) fill.mutate({ template: chosen, values }, { onSuccess: put });
  };
  if (emails.length === 0) return null;
  const missing = fill.data?.missing ?? [];
  return (
    <div className="flex flex-col gap-3">
      <Field label="Template" hint={chosen ? undefined : 'Fills subject and body, which you can still change.'}>
        <Select
          options={[
            { value: NONE, label: 'None' },
            ...emails.map(({ id: value, name, subject }) => ({ value, label: name, hint: subject ?? undefined })),
          ]}
          value={id ?? NONE}
          onChange={choose}
        />
      </Field>
      {undo.note}
      {chosen && (
        <div className="flex flex-col gap-3 rounded-card border border-line bg-canvas p-4">
          {chosen.variables.length > 0 ? (
            <>
              <p className="flex flex-wrap items-center gap-1.5 text-meta text-muted">
                Variables:
                {chosen.variables.map((name) => (
                  <Badge key={name} tone={missing.includes(name) ? 'warning' : 'pending'} className="font-mono">
                    {name}
                  </Badge>
                ))}
              </p>
              <Field label="Data" error={dataError}>
                <Textarea
                  mono
                  rows={5}
                  value={data}
                  spellCheck={false}
                  onChange={({ target }) => setData(target.value)}
                />
              </Field>
            </>
          ) : (
            <p className="text-body text-muted">This template has no variables.</p>
          )}
          {missing.length > 0 && (
            <Callout tone="warning" role="alert" title="Missing values">
              The data has no value for {missing.join(', ')}.
            </Callout>
          )}
          {empty.length > 0 && (
            <Callout tone="warning" role="alert" title="Empty values">
              {empty.join(', ')} {empty.length > 1 ? 'have' : 'has'} no value. Press “Fill in” again to leave{' '}
              {empty.length > 1 ? 'them' : 'it'} empty.
            </Callout>
          )}
          {fill.error && (
            <Callout tone="danger" role="alert">
              {fill.error.message}
            </Callout>
          )}
          <Button className="self-start" busy={fill.isPending} onClick={insert}>
            Fill in
          </Button>
        </div>
      )}
    </div>
  );
}
