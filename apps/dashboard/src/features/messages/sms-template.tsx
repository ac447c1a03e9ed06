import type { Schemas } from '@jobline/client';
import { FileText } from 'lucide-react';
import { useId, useState } from 'react';
import { fillTemplate, type TemplateData, useFilledTemplate } from '../../api/use-filled-template.js';
import { useTemplatesOf } from '../../api/use-list.js';
import { SegmentCounter } from '../../product/segment-counter.js';
import { useApi } from '../../services.js';
import { Button, Callout, Dialog, Field, Input, Menu, toast } from '../../ui/index.js';

type Template = Schemas['TemplateSummary'];

interface SmsTemplatesProps {
  /** Receives the text of a template without variables. */
  onTake: (text: string) => void;
  /** Receives a template with variables. */
  onFill: (template: Template) => void;
}

/** Inserts the text of a stored template into the message. Renders nothing if there are no templates. */
export function SmsTemplates({ onTake, onFill }: SmsTemplatesProps) {
  const api = useApi();
  const templates = useTemplatesOf('sms') ?? [];
  if (templates.length === 0) return null;

  const pick = async (template: Template) => {
    if (template.variables.length > 0) return onFill(template);
    try {
      onTake((await fillTemplate(api, template, {})).body);
    } catch (error) {
      toast.error('The template could not be loaded', {
        detail: error instanceof Error ? error.message : String(error),
      });
    }
  };
  const items = templates.map((template) => ({
    label: template.name,
    hint: template.variables.length > 0 ? template.variables.join(', ') : 'no variables',
    icon: <FileText />,
    onSelect: () => void pick(template),
  }));
  return (
    <Menu
      groups={[items]}
      trigger={
        <button type="button" className="hit rounded-control text-accent underline-offset-4 hover:underline">
          Use a template
        </button>
      }
    />
  );
}

interface FillTemplateProps {
  template: Schemas['TemplateSummary'];
  onTake: (text: string) => void;
  onClose: () => void;
}

/** Asks for the values of a template's variables and shows the filled text. */
export function FillTemplate({ template: { id, name, variables }, onTake, onClose }: FillTemplateProps) {
  const formId = useId();
  const [given, setGiven] = useState<Record<string, string>>({});
  const { filled, error, isBehind } = useFilledTemplate({ id }, toData(given));
  const missing = filled?.missing ?? [];
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={`Fill “${name}”`}
      footer={
        <>
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
          if (filled && !isBehind && !error) onTake(filled.body);
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
            {filled?.body}
          </p>
          <SegmentCounter text={filled?.body ?? ''} />
          {missing.length > 0 && <p className="text-meta text-warning">Left empty: {missing.join(', ')}</p>}
        </div>
      </form>
    </Dialog>
  );
}

/** Converts the fields to template data. Empty fields are missing values. Lists and objects are written as JSON. */
function toData(given: Record<string, string>): TemplateData {
  const filled = Object.entries(given).filter(([, value]) => value !== '');
  return Object.fromEntries(filled.map(([name, value]) => [name, /^\s*[[{]/.test(value) ? jsonOr(value) : value]));
}

function jsonOr(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text; // a text that starts with a bracket
  }
}
