import { Bookmark, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { plainSearch } from '../../search-params.js';
import { useMe } from '../../session/use-session.js';
import { Button, cx, Field, IconButton, Input, linkClasses, Popover, useStored } from '../../ui/index.js';
import { type FilterChange, type Filters, filterSearch, NO_FILTERS } from './model.js';

/** Named filters: the query of their URL. */
type View = readonly [name: string, query: string];

const MAX_VIEWS = 20;
const NAME_LENGTH = 40;
const QUERY_LENGTH = 2_000;

/** The views that the user has saved for the organization, in this browser. A view with the same name is replaced. */
export function SavedViews({ filters, onChange }: { filters: Filters; onChange: (change: FilterChange) => void }) {
  const { user, org } = useMe();
  const [views, setViews] = useStored<readonly View[]>(`views.${user.id}.${org.id}`, [], areViews);
  const [open, setOpen] = useState(false);
  const query = plainSearch.stringifySearch(filters);
  const current = views.find((view) => view[1] === query)?.[0];
  const obstacle =
    query === ''
      ? 'Set a filter first.'
      : query.length > QUERY_LENGTH
        ? 'These filters are too long.'
        : views.length >= MAX_VIEWS
          ? 'Delete a view first.'
          : undefined;
  const without = (name: string) => views.filter((view) => view[0] !== name);
  return (
    <Popover
      label="Views"
      open={open}
      onOpenChange={setOpen}
      trigger={
        <Button icon={<Bookmark />}>
          <span className="max-w-32 truncate">{current === undefined ? 'Views' : `View: ${current}`}</span>
        </Button>
      }
    >
      <ul className="mb-3 empty:hidden">
        {views.map(([name, saved]) => (
          <li key={name} className="flex items-center justify-between gap-2">
            <button
              type="button"
              aria-current={name === current || undefined}
              className={cx(linkClasses, 'min-w-0 flex-1 truncate py-2 text-left text-body aria-current:font-semibold')}
              onClick={() => {
                onChange({ ...NO_FILTERS, ...filterSearch(plainSearch.parseSearch(saved)) });
                setOpen(false);
              }}
            >
              {name}
            </button>
            <IconButton
              label={`Delete the view ${name}`}
              icon={<Trash2 />}
              size="small"
              onClick={() => setViews(without(name))}
            />
          </li>
        ))}
      </ul>
      <form
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          const name = String(new FormData(event.currentTarget).get('name')).trim();
          if (name === '') return;
          setViews([...without(name), [name, query]]);
          setOpen(false);
        }}
      >
        <Field label="Name of a new view" hint={`For the filters that are set. At most ${MAX_VIEWS} views.`}>
          <Input name="name" maxLength={NAME_LENGTH} autoComplete="off" />
        </Field>
        <Button type="submit" disabledReason={obstacle} className="self-end">
          Save
        </Button>
      </form>
    </Popover>
  );
}

function areViews(value: unknown): value is readonly View[] {
  return Array.isArray(value) && value.length <= MAX_VIEWS && value.every(isView);
}

function isView(value: unknown): value is View {
  if (!Array.isArray(value) || value.length !== 2) return false;
  const [name, query]: unknown[] = value;
  return (
    typeof name === 'string' && name.length <= NAME_LENGTH && typeof query === 'string' && query.length <= QUERY_LENGTH
  );
}
