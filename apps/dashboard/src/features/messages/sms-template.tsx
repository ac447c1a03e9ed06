import type { Schemas } from '@jobline/client';
import { FileText } from 'lucide-react';
import { fillTemplate } from '../../api/use-filled-template.js';
import { useTemplatesOf } from '../../api/use-list.js';
import { useApi } from '../../services.js';
import { Menu, toast } from '../../ui/index.js';

type Template = Schemas['TemplateSummary'];

export interface TemplatePickerProps {
  /** Receives the text of a template without variables. */
  onTake: (text: string) => void;
  /** Receives a template with variables. */
  onFill: (template: Template) => void;
}

/** Inserts the text of a stored template into the message. Renders nothing if there are no templates. */
export function TemplatePicker({ onTake, onFill }: TemplatePickerProps) {
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
