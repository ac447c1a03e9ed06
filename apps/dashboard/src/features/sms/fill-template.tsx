import { useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { type Schemas, take } from '../../api/api-client.js';
import { SegmentCounter } from '../../product/sms/segment-counter.js';
import { useApi } from '../../services.js';
import { Button, Callout, Dialog, Field, Input } from '../../ui/index.js';
import { useDebounced } from '../../ui/use-debounced.js';

export interface FillTemplateProps {
  template: Schemas['TemplateSummary'];
  onTake: (text: string) => void;
  onClose: () => void;
}

const SETTLED_MS = 300;

/** Asks for a template's variables and shows what comes of them; the server fills it, as it would for a job. */
export function FillTemplate({ template: { id, name, variables }, onTake, onClose }: FillTemplateProps) {
  const api = useApi();
  const formId = useId();
  const [given, setGiven] = useState<Record<string, string>>({});
  const settled = useDebounced(given, SETTLED_MS);
  const { data, error, isFetching } = useQuery({
    queryKey: ['template', id, 'filled', settled],
    queryFn: ({ signal }) => {
      // The cast: the document's type of an object with any keys allows none.
      const data = toData(settled) as Record<string, never>;
      return take(api.POST('/org/templates/{id}/preview', { params: { path: { id } }, body: { data }, signal }));
    },
  });
  const isBehind = isFetching || settled !== given;
  const missing = data?.missing ?? [];
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={`Fill “${name}”`}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={formId} variant="primary" busy={isBehind && data !== undefined}>
            Use this text
          </Button>
        </>
      }
    >
      <form
        id={formId}
        onSubmit={(event) => {
          event.preventDefault();
          if (data && !isBehind) onTake(data.body);
        }}
        className="flex flex-col gap-4"
      >
        {variables.map((variable) => (
          <Field key={variable} label={variable}>
            <Input
              autoComplete="off"
              value={given[variable] ?? ''}
              onChange={(event) => setGiven({ ...given, [variable]: event.target.value })}
            />
          </Field>
        ))}
        {error && (
          <Callout tone="danger" role="alert">
            {error.message}
          </Callout>
        )}
        <div className="flex flex-col gap-2">
          <span className="text-body font-medium">Text</span>
          <p className="min-h-20 rounded-control border border-line bg-sunken px-3 py-2 text-body wrap-anywhere whitespace-pre-wrap">
            {data?.body}
          </p>
          <SegmentCounter text={data?.body ?? ''} />
          {missing.length > 0 && <p className="text-meta text-warning">Left empty: {missing.join(', ')}</p>}
        </div>
      </form>
    </Dialog>
  );
}

/** What was left empty is missing. Lists and objects are written as JSON. */
function toData(given: Record<string, string>): Record<string, unknown> {
  const filled = Object.entries(given).filter(([, value]) => value !== '');
  return Object.fromEntries(filled.map(([name, value]) => [name, /^\s*[[{]/.test(value) ? jsonOr(value) : value]));
}

function jsonOr(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text; // text that begins with a bracket
  }
}
