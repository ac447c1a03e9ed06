import { MAX_PAGE_LIMIT } from '@jobline/contracts';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { FileText } from 'lucide-react';
import { type ReactNode, type Ref, useRef, useState } from 'react';
import { useTemplate } from '../../api/use-filled-template.js';
import { type List, useList } from '../../api/use-list.js';
import { useRowShortcuts, useShortcut } from '../../keyboard/use-shortcut.js';
import { useCan } from '../../session/use-session.js';
import { BackLink } from '../../shell/back-link.js';
import { ListTable } from '../../shell/list-table.js';
import { LoadError } from '../../shell/load-error.js';
import { Page } from '../../shell/page-frame.js';
import { useSearchChange } from '../../shell/use-search-change.js';
import {
  buttonClasses,
  type Column,
  cx,
  EmptyState,
  Field,
  Input,
  Panel,
  rowLinkClasses,
  Skeleton,
  type TableHandle,
  timeColumn,
  useMedia,
} from '../../ui/index.js';
import { Editor, WIDE } from './editor.js';
import { KINDS, kindOf, type TemplateSummary, type Values } from './model.js';

const route = getRouteApi('/app/templates');
type Search = ReturnType<typeof route.useSearch>;

const BLANK: Values = { name: '', kind: 'email', subject: '', body: '', sample: '{}' };

const WELCOME: Values = {
  name: 'Welcome',
  kind: 'email',
  subject: 'Welcome to {{ company }}, {{ name }}',
  body: `<h1>Welcome, {{ name }}</h1>
<p>Your account at {{ company }} is ready.</p>
{% if link %}
<p><a href="{{ link }}">Confirm your address</a></p>
{% endif %}
<p>If this was not you, please ignore this email.</p>
`,
  sample: '{\n  "company": "Acme"\n}',
};

/** What a new template starts with. */
const STARTERS = { blank: BLANK, welcome: WELCOME } as const;

/** Lists, edits and previews templates. */
export function TemplatesPage() {
  const { id, new: isNew, from, name } = route.useSearch();
  const navigate = useNavigate({ from: '/templates' });
  const canWrite = useCan()('templates');
  const isWide = useMedia(WIDE);
  // To filter, as many as possible are loaded.
  const templates = useList('listTemplates', name === undefined ? undefined : { limit: MAX_PAGE_LIMIT });
  const table = useRef<TableHandle>(null);
  /** The template that was just created. It stays in the same editor, so that nothing typed is lost. */
  const [created, setCreated] = useState<{ id: string; key: string } | null>(null);
  const stored = useTemplate(id);
  const template = stored.data;

  const starter = from ?? 'blank';
  const isMaking = isNew === 1 && id === undefined && canWrite;
  const isOpen = isMaking || id !== undefined;
  const isNarrow = isOpen && isWide;
  const newKey = `new ${starter}`;
  const open = (search: Search, ignoreBlocker = false) =>
    navigate({ search: { ...(name && { name }), ...search }, resetScroll: false, ignoreBlocker });

  useShortcut(
    { keys: 'n', label: 'New template', group: 'Templates', run: () => void open({ new: 1 }) },
    { enabled: canWrite },
  );
  useRowShortcuts(table, 'Templates', 'template');

  const isBare = templates.rows?.length === 0;
  const list = (
    <TemplateList
      ref={table}
      templates={templates}
      isNarrow={isNarrow}
      empty={isOpen ? <EmptyState title="No templates yet." className="py-8" /> : <NoTemplates canWrite={canWrite} />}
    />
  );
  const editor =
    isMaking || template ? (
      <Editor
        key={id === undefined ? newKey : created?.id === id ? created.key : id}
        template={template ?? null}
        starter={{ name: starter, values: STARTERS[starter] }}
        onCreated={async (newId) => {
          setCreated({ id: newId, key: newKey });
          await open({ id: newId }, true);
        }}
        onDeleted={() => void open({}, true)}
      />
    ) : stored.error ? (
      <Panel>
        <LoadError of={stored} notFound="Template not found. It may have been deleted." />
      </Panel>
    ) : (
      <div role="status" aria-label="Loading the template" className="grid gap-6 xl:grid-cols-2">
        <Panel className="h-128">
          <Skeleton className="mb-6 h-6 w-1/2" />
          <Skeleton className="h-64 w-full" />
        </Panel>
        <Panel className="h-128 max-xl:hidden">
          <Skeleton className="h-64 w-full" />
        </Panel>
      </div>
    );

  return (
    <Page
      title="Templates"
      back={isOpen && !isWide && <BackLink to="/templates">All templates</BackLink>}
      actions={
        canWrite && (
          <Link
            to="/templates"
            search={{ new: 1 }}
            className={buttonClasses(isOpen || isBare ? 'secondary' : 'primary')}
          >
            New template
          </Link>
        )
      }
    >
      <div className={cx(isNarrow && 'grid grid-cols-[15rem_minmax(0,1fr)] items-start gap-6')}>
        {(isWide || !isOpen) && list}
        {isOpen && editor}
      </div>
    </Page>
  );
}

function NoTemplates({ canWrite }: { canWrite: boolean }) {
  return (
    <EmptyState
      icon={<FileText />}
      title="No templates."
      actions={
        canWrite && (
          <Link to="/templates" search={{ new: 1, from: 'welcome' }} className={buttonClasses('primary')}>
            Start with a welcome email
          </Link>
        )
      }
    >
      {canWrite
        ? 'A template is a text with variables. Each email, SMS or PDF provides its own data.'
        : 'Owners and admins write templates. Every member can use them.'}
    </EmptyState>
  );
}

const NAME: Column<TemplateSummary> = {
  header: 'Name',
  card: 'title',
  cell: ({ id, name }) => (
    <Link
      from="/templates"
      to="/templates"
      search={(before) => ({ ...(before.name && { name: before.name }), id })}
      resetScroll={false}
      title={name}
      className={rowLinkClasses}
    >
      {name}
    </Link>
  ),
};
const KIND: Column<TemplateSummary> = {
  header: 'Kind',
  width: '76px',
  card: 'end',
  cell: (template) => <span className="text-meta text-muted">{KINDS[kindOf(template)]}</span>,
};
const NARROW_COLUMNS = [NAME, KIND];
const ALL_COLUMNS: readonly Column<TemplateSummary>[] = [
  { ...NAME, width: '30%' },
  KIND,
  {
    header: 'Variables',
    cell: ({ variables }) => <span className="text-muted">{variables.join(', ') || '–'}</span>,
  },
  timeColumn({ header: 'Changed', width: '128px', align: 'end' }, ({ updated_at }) => updated_at),
];

interface TemplateListProps {
  templates: List<TemplateSummary>;
  /** Whether the list is a narrow column next to the editor. */
  isNarrow: boolean;
  empty: ReactNode;
  ref: Ref<TableHandle>;
}

function TemplateList({ templates, isNarrow, empty, ref }: TemplateListProps) {
  const { id, name = '' } = route.useSearch();
  const go = useSearchChange<Search>({ replace: true });
  // The URL follows a moment later than the input.
  const [typed, setTyped] = useState(name);
  const isMatch = ({ name }: TemplateSummary) => name.toLowerCase().includes(typed.trim().toLowerCase());
  const noMatch = <EmptyState title="No template has this in its name." className="py-8" />;
  return (
    <Panel padding="none">
      {(typed !== '' || (templates.rows?.length ?? 0) > 1) && (
        <Field label="Filter by name" hideLabel className="border-b border-line p-3">
          <Input
            type="search"
            exact
            placeholder="Filter by name"
            maxLength={200}
            value={typed}
            onChange={({ target: { value } }) => {
              setTyped(value);
              go({ name: value || undefined });
            }}
            className="sm:max-w-72"
          />
        </Field>
      )}
      <ListTable
        ref={ref}
        list={{ ...templates, rows: templates.rows?.filter(isMatch) }}
        what="template"
        caption="Templates"
        columns={isNarrow ? NARROW_COLUMNS : ALL_COLUMNS}
        currentId={id}
        empty={typed === '' ? empty : noMatch}
        skeletonRows={6}
      />
    </Panel>
  );
}
