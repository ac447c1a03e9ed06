import { FileText } from 'lucide-react';
import { type Schemas, take } from '../../api/api-client.js';
import { useTemplatesOf } from '../../api/use-templates-of.js';
import { useApi } from '../../services.js';
import { Menu, toast } from '../../ui/index.js';

type Template = Schemas['TemplateSummary'];

export interface TemplatePickerProps {
  /** Of a template without variables: its text. */
  onTake: (text: string) => void;
  /** Of one that has some. */
  onFill: (template: Template) => void;
}

/** Writes the message from a stored template. Nothing where there are none. */
export function TemplatePicker({ onTake, onFill }: TemplatePickerProps) {
  const api = useApi();
  const templates = useTemplatesOf('sms') ?? [];
  if (templates.length === 0) return null;

  const pick = async (template: Template) => {
    if (template.variables.length > 0) return onFill(template);
    try {
      const path = { id: template.id };
      onTake((await take(api.POST('/org/templates/{id}/preview', { params: { path }, body: {} }))).body);
    } catch (error) {
      toast.error('The template could not be read', { detail: error instanceof Error ? error.message : String(error) });
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
