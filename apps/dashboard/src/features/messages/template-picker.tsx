import type { Schemas } from '@jobline/client';
import { useSearch } from '@tanstack/react-router';
import { FileText } from 'lucide-react';
import { useId, useState } from 'react';
import { readData, useFilledTemplate, useTemplate } from '../../api/use-filled-template.js';
import { useTemplatesOf } from '../../api/use-list.js';
import { FilledPreview } from '../../product/message/filled-preview.js';
import { SendTest } from '../../product/message/send-test.js';
import { jsonOf, TemplateFields } from '../../product/message/template-fields.js';
import { SegmentCounter } from '../../product/segment-counter.js';
import { LoadError } from '../../shell/load-error.js';
import { useSearchChange } from '../../shell/use-search-change.js';
import { Button, Callout, Dialog, linkClasses, Menu } from '../../ui/index.js';
import type { Draft } from './draft.js';
import type { Composing } from './use-compose.js';

/** Returns the id of the template that is being filled in, which is in the address, and a function that changes it. */
function usePickedTemplate() {
  const go = useSearchChange<{ template?: string }>();
  const pick = (template: string | undefined) => go({ template });
  return [useSearch({ strict: false }).template, pick] as const;
}

/** Lists the stored templates of a channel. Renders nothing if there are none. */
export function TemplateMenu({ channel }: { channel: 'email' | 'sms' }) {
  const [, pick] = usePickedTemplate();
  const templates = useTemplatesOf(channel) ?? [];
  if (templates.length === 0) return null;
  const items = templates.map(({ id, name, variables }) => ({
    label: name,
    hint: variables.join(', ') || 'no variables',
    icon: <FileText />,
    onSelect: () => pick(id),
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

/** The dialogs of a form for a message: the one that fills a template, and the one that sends a test. */
export function ComposeDialogs({ channel, take, test }: Pick<Composing<Draft>, 'channel' | 'take' | 'test'>) {
  const [id, pick] = usePickedTemplate();
  const template = useTemplate(id);
  const close = () => pick(undefined);
  const onTake = (filled: Schemas['Preview']) => {
    take(filled);
    close();
  };
  return (
    <>
      {template.data ? (
        <FillTemplate key={id} channel={channel} template={template.data} onTake={onTake} onClose={close} />
      ) : (
        template.error && (
          <Dialog onClose={close} title="Use a template">
            <LoadError of={template} notFound="Template not found. It may have been deleted." />
          </Dialog>
        )
      )}
      {test && <SendTest {...test} />}
    </>
  );
}

interface FillTemplateProps {
  channel: 'email' | 'sms';
  template: Schemas['Template'];
  onTake: (filled: Schemas['Preview']) => void;
  onClose: () => void;
}

/** Asks for the data of a template and shows the filled text, which the user then takes. */
function FillTemplate({ channel, template, onTake, onClose }: FillTemplateProps) {
  const { id, name, variables, sample } = template;
  const formId = useId();
  const [json, setJson] = useState('{}');
  const { data, error: invalid } = readData(json);
  const { filled, error, isBehind } = useFilledTemplate({ id }, data ?? {});
  const missing = filled?.missing ?? [];
  return (
    <Dialog
      onClose={onClose}
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
