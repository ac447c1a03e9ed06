import type { Schemas } from '@jobline/client';
import { useQuery } from '@tanstack/react-query';
import { FileText } from 'lucide-react';
import { useId, useState } from 'react';
import { readData, useFilledTemplate } from '../../api/use-filled-template.js';
import { useTemplatesOf } from '../../api/use-list.js';
import { FilledPreview } from '../../product/message/filled-preview.js';
import { SendTest } from '../../product/message/send-test.js';
import { jsonOf, TemplateFields } from '../../product/message/template-fields.js';
import { SegmentCounter } from '../../product/segment-counter.js';
import { useApi } from '../../services.js';
import { LoadError } from '../../shell/load-error.js';
import { Button, Callout, Dialog, linkClasses, Menu } from '../../ui/index.js';
import type { Draft } from './draft.js';
import type { Composing } from './use-compose.js';

interface TemplateMenuProps {
  channel: 'email' | 'sms';
  /** Receives the id of a template. */
  onPick: (id: string) => void;
}

/** Lists the stored templates of a channel. Renders nothing if there are none. */
export function TemplateMenu({ channel, onPick }: TemplateMenuProps) {
  const templates = useTemplatesOf(channel) ?? [];
  if (templates.length === 0) return null;
  const items = templates.map(({ id, name, variables }) => ({
    label: name,
    hint: variables.join(', ') || 'no variables',
    icon: <FileText />,
    onSelect: () => onPick(id),
  }));
  return (
    <Menu
      groups={[items]}
      trigger={
        <button type="button" className={`hit ${linkClasses}`}>
          Use a template
        </button>
      }
    />
  );
}

interface ComposeDialogsProps {
  composing: Pick<Composing<Draft, unknown>, 'channel' | 'take' | 'test'>;
  /** The template that is being filled in. */
  template: string | undefined;
  onTemplate: (id: string | undefined) => void;
}

/** The dialogs of a form for a message: the one that fills a template, and the one that sends a test. */
export function ComposeDialogs({ composing: { channel, take, test }, template, onTemplate }: ComposeDialogsProps) {
  const close = () => onTemplate(undefined);
  const onTake = (filled: Schemas['Preview']) => {
    take(filled);
    close();
  };
  return (
    <>
      {template !== undefined && <FillTemplate channel={channel} id={template} onTake={onTake} onClose={close} />}
      {test && <SendTest channel={channel} {...test} />}
    </>
  );
}

interface FillTemplateProps {
  channel: 'email' | 'sms';
  id: string;
  onTake: (filled: Schemas['Preview']) => void;
  onClose: () => void;
}

/** Asks for the data of a template and shows the filled text, which the user then takes. */
function FillTemplate({ id, ...props }: FillTemplateProps) {
  const api = useApi();
  const template = useQuery({
    queryKey: ['template', id],
    queryFn: ({ signal }) => api.call('getTemplate', { path: { id } }, { signal }),
    placeholderData: () => undefined, // do not show another template while this one loads
  });
  if (template.data) return <Filling key={id} template={template.data} {...props} />;
  if (!template.error) return null;
  return (
    <Dialog open onOpenChange={(open) => !open && props.onClose()} title="Use a template">
      <LoadError of={template} notFound="Template not found. It may have been deleted." />
    </Dialog>
  );
}

type FillingProps = Omit<FillTemplateProps, 'id'> & { template: Schemas['Template'] };

function Filling({ channel, template, onTake, onClose }: FillingProps) {
  const { id, name, variables, sample } = template;
  const formId = useId();
  const [json, setJson] = useState('{}');
  const { data, error: invalid } = readData(json);
  const { filled, error, isBehind } = useFilledTemplate({ id }, data ?? {});
  const missing = filled?.missing ?? [];
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={`Fill “${name}”`}
      size="wide"
      footer={
        <>
          {missing.length > 0 && <p className="mr-auto text-meta text-warning">Left empty: {missing.join(', ')}</p>}
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={formId} variant="primary" busy={isBehind && filled !== null}>
            Use this text
          </Button>
        </>
      }
    >
      <form
        id={formId}
        onSubmit={(event) => {
          event.preventDefault();
          if (filled && !isBehind && !error && invalid === undefined) onTake(filled);
        }}
        className="flex flex-col gap-4"
      >
        <TemplateFields json={json} onChange={setJson} variables={variables} missing={missing} sample={sample} />
        {Object.keys(sample).length > 0 && (
          <Button size="small" className="self-start" onClick={() => setJson(jsonOf(sample))}>
            Use the example data
          </Button>
        )}
        {error && (
          <Callout tone="danger" role="alert">
            {error.message}
          </Callout>
        )}
        {filled && (
          <section aria-label="Text" className="rounded-card border border-line" aria-busy={isBehind || undefined}>
            <FilledPreview kind={channel} filled={filled} />
          </section>
        )}
        {channel === 'sms' && <SegmentCounter text={filled?.body ?? ''} />}
      </form>
    </Dialog>
  );
}
