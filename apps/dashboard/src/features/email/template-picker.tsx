import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { UseFormReturn } from 'react-hook-form';
import { type Schemas, take } from '../../api/api-client.js';
import { useTemplatesOf } from '../../api/use-templates-of.js';
import { useApi } from '../../services.js';
import { Badge, Button, Callout, Combobox, Field, Textarea, UndoNote } from '../../ui/index.js';
import type { EmailDraft } from './draft.js';

/** As the API's document has it: any object. */
type Data = NonNullable<Schemas['Submission']['payload']>;

/** A stored template, filled by the API and put into subject and body, where it can still be changed. */
export function TemplatePicker({ form }: { form: UseFormReturn<EmailDraft> }) {
  const api = useApi();
  const [id, setId] = useState<string | null>(null);
  const [data, setData] = useState('{}');
  const [fault, setFault] = useState<string | undefined>();
  const [undo, setUndo] = useState<{ run: () => void } | null>(null);
  const emails = useTemplatesOf('email') ?? [];
  const chosen = emails.find((template) => template.id === id);
  const fill = useMutation({
    mutationFn: ({ template, values }: { template: string; values: Data }) =>
      take(api.POST('/org/templates/{id}/preview', { params: { path: { id: template } }, body: { data: values } })),
  });
  const put = ({ subject, body, missing }: Schemas['Preview']) => {
    if (missing.length > 0) return;
    const before = form.getValues();
    form.setValue('subject', subject ?? before.subject);
    form.setValue('body', body);
    form.clearErrors(['subject', 'body']);
    setId(null);
    if (`${before.subject}${before.body}`.trim() === '') return;
    const run = () => {
      form.setValue('subject', before.subject);
      form.setValue('body', before.body);
      setUndo(null);
    };
    setUndo({ run });
  };
  const choose = (next: string | null) => {
    const variables = emails.find((template) => template.id === next)?.variables ?? [];
    setId(next);
    setFault(undefined);
    setUndo(null);
    fill.reset(); // what is still awaited is of the one before, and is not taken
    setData(JSON.stringify(Object.fromEntries(variables.map((name) => [name, ''])), null, 2));
  };
  const insert = () => {
    const values = readObject(data);
    setFault(values ? undefined : 'A JSON object, as {"name": "Ada"}.');
    if (values && chosen) fill.mutate({ template: chosen.id, values }, { onSuccess: put });
  };
  if (emails.length === 0) return null;
  const missing = fill.data?.missing ?? [];
  return (
    <div className="flex flex-col gap-3">
      <Field label="Template" hint={chosen ? undefined : 'Fills subject and body, which you can still change.'}>
        <Combobox
          options={emails.map(({ id: value, name, subject }) => ({ value, label: name, hint: subject ?? undefined }))}
          value={id}
          onChange={choose}
          placeholder="None"
          none="No template of that name"
        />
      </Field>
      {undo && <UndoNote title="Subject and body were replaced" onUndo={undo.run} />}
      {chosen && (
        <div className="flex flex-col gap-3 rounded-card border border-line bg-canvas p-4">
          {chosen.variables.length > 0 ? (
            <>
              <p className="flex flex-wrap items-center gap-1.5 text-meta text-muted">
                Takes
                {chosen.variables.map((name) => (
                  <Badge key={name} tone={missing.includes(name) ? 'warning' : 'pending'} className="font-mono">
                    {name}
                  </Badge>
                ))}
              </p>
              <Field label="Data" error={fault}>
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
            <p className="text-body text-muted">It takes no data.</p>
          )}
          {missing.length > 0 && (
            <Callout tone="warning" role="alert" title="Missing">
              The data lacks {missing.join(', ')}.
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

function readObject(text: string): Data | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null;
  } catch {
    return null; // said at the field
  }
}
