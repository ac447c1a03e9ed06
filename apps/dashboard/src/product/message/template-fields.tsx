import { useId, useState } from 'react';
import { readData, type TemplateData } from '../../api/use-filled-template.js';
import { isObject } from '../../format/index.js';
import { Field, Input, linkClasses, Textarea } from '../../ui/index.js';

interface TemplateFieldsProps {
  /** The data as JSON. */
  json: string;
  onChange: (json: string) => void;
  /** The variables of the template, as far as they are known. */
  variables: readonly string[];
  /** The variables without a value. */
  missing: readonly string[];
  /** Example data: its values are shown in empty fields. */
  sample?: TemplateData;
  hint?: string | undefined;
  error?: string | undefined;
}

/** More fields would not help: then the data is JSON. */
const MAX_FIELDS = 50;

/** The data of a template: a field for each value, or all of it as JSON. */
export function TemplateFields(props: TemplateFieldsProps) {
  const { json, onChange, variables, missing, sample = {}, hint } = props;
  const id = useId();
  const [wantsJson, setWantsJson] = useState(false);
  const { data, error = props.error } = readData(json);
  const paths = data ? pathsOf(variables, missing, [sample, data]) : [];
  const hasFields = data !== undefined && paths.length <= MAX_FIELDS;
  const isJson = wantsJson || !hasFields;
  const toggle = hasFields && (
    <button type="button" className={`hit ${linkClasses}`} onClick={() => setWantsJson(!isJson)}>
      {isJson ? 'Edit as fields' : 'Edit as JSON'}
    </button>
  );
  if (isJson) {
    return (
      <Field label="Data (JSON)" hint={hint} error={error} aside={toggle}>
        <Textarea
          mono
          rows={8}
          spellCheck={false}
          autoCapitalize="none"
          value={json}
          onChange={({ target }) => onChange(target.value)}
        />
      </Field>
    );
  }
  return (
    <fieldset aria-labelledby={id} className="flex min-w-0 flex-col gap-4">
      <div className="flex items-baseline justify-between gap-4">
        <span id={id} className="text-body font-medium">
          Data
        </span>
        <span className="text-meta text-muted">{toggle}</span>
      </div>
      {paths.length === 0 && <p className="text-body text-muted">This template has no variables.</p>}
      {paths.map((path) => {
        const value = valueAt(data, path);
        const isList = Array.isArray(value) || (value === undefined && Array.isArray(valueAt(sample, path)));
        return (
          <Field key={path} label={path} hint={isList && 'A list: edit it as JSON.'}>
            <Input
              autoComplete="off"
              readOnly={isList}
              placeholder={textOf(valueAt(sample, path))}
              value={textOf(value)}
              onChange={({ target }) => onChange(jsonOf(withValue(data, path.split('.'), scalarOf(target.value))))}
            />
          </Field>
        );
      })}
      {(error ?? hint) && <p className={error ? 'text-meta text-danger' : 'text-meta text-muted'}>{error ?? hint}</p>}
    </fieldset>
  );
}

/** Returns data as it is shown and stored. */
export function jsonOf(data: TemplateData): string {
  return JSON.stringify(data, null, 2);
}

/**
 * The paths of the fields: of each value that is no object, and of each variable without a value. A variable is left out
 * if parts of it have a field. A missing `item.name` is left out if `item` is only known inside a loop.
 */
export function pathsOf(
  variables: readonly string[],
  missing: readonly string[],
  data: readonly TemplateData[],
): string[] {
  const leaves = data.flatMap((one) => leavesOf(one));
  const tops = new Set([...variables, ...leaves.map(topOf), ...data.flatMap(Object.keys)]);
  const needed = missing.filter((path) => topOf(path) === path || tops.has(topOf(path)));
  const all = [...new Set([...variables, ...leaves, ...needed])].filter((path) => /^[^[\]"']+$/.test(path));
  const order = [...variables, ...all.map(topOf)];
  const rankOf = (path: string) => order.indexOf(topOf(path));
  return all
    .filter((path) => !all.some((other) => other.startsWith(`${path}.`)))
    .sort((a, b) => rankOf(a) - rankOf(b) || a.localeCompare(b));
}

function topOf(path: string): string {
  return path.split('.', 1)[0] ?? path;
}

/** Without keys that would be read as paths. */
function leavesOf(data: TemplateData, prefix = ''): string[] {
  return Object.entries(data).flatMap(([key, value]) => {
    if (key.includes('.')) return [];
    const path = `${prefix}${key}`;
    return isObject(value) ? leavesOf(value, `${path}.`) : [path];
  });
}

function valueAt(data: TemplateData, path: string): unknown {
  return path.split('.').reduce<unknown>((at, key) => (isObject(at) ? at[key] : undefined), data);
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** What was typed as it would be written in JSON, if it is then rendered in the same way. An empty field has no value. */
export function scalarOf(text: string): string | number | boolean | undefined {
  if (text === '') return undefined;
  if (text === 'true' || text === 'false') return text === 'true';
  return /^-?\d+(\.\d+)?$/.test(text) && String(Number(text)) === text ? Number(text) : text;
}

/** `undefined` removes the value. */
export function withValue(data: TemplateData, [key = '', ...rest]: readonly string[], value: unknown): TemplateData {
  const inner = data[key];
  return { ...data, [key]: rest.length === 0 ? value : withValue(isObject(inner) ? inner : {}, rest, value) };
}
