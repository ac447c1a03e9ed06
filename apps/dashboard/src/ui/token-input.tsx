import { X } from 'lucide-react';
import { type Ref, useImperativeHandle, useRef, useState } from 'react';
import { announce } from './announce.js';
import { Button } from './button.js';
import { Input, type InputProps } from './field.js';

interface TokenInputProps extends Omit<InputProps, 'value' | 'onChange' | 'onBlur' | 'onKeyDown' | 'disabled' | 'ref'> {
  /** The entries, in the order in which they were added. */
  value: readonly string[];
  onChange: (value: string[]) => void;
  /** Splits what is added into several entries. Default: it is one entry. */
  separator?: RegExp | undefined;
  /** For the focus when the field has an error. */
  ref?: Ref<{ focus: () => void }> | undefined;
}

/** A list of short texts. Enter, the button and leaving the input add what was typed. */
export function TokenInput({ value, onChange, separator, ref, ...input }: TokenInputProps) {
  const [typed, setTyped] = useState('');
  const element = useRef<HTMLInputElement>(null);
  useImperativeHandle(ref, () => ({ focus: () => element.current?.focus() }), []);
  const add = () => {
    const texts = (separator ? typed.split(separator) : [typed]).map((text) => text.trim());
    const added = texts.filter((text, i) => text !== '' && texts.indexOf(text) === i && !value.includes(text));
    setTyped('');
    if (added.length === 0) return;
    onChange([...value, ...added]);
    announce(`${added.join(', ')} added`);
  };
  const remove = (token: string) => {
    onChange(value.filter((one) => one !== token));
    announce(`${token} removed`);
    element.current?.focus();
  };
  return (
    <div className="flex flex-col gap-2">
      <div className="flex gap-2">
        <Input
          exact
          {...input}
          ref={element}
          value={typed}
          onChange={({ target }) => setTyped(target.value)}
          onBlur={add}
          onKeyDown={(event) => {
            // Without text, Enter submits the form.
            if (event.key !== 'Enter' || event.nativeEvent.isComposing || typed.trim() === '') return;
            event.preventDefault();
            add();
          }}
        />
        <Button onClick={add}>Add</Button>
      </div>
      {value.length > 0 && (
        <ul className="flex flex-wrap gap-1.5">
          {value.map((token) => (
            <li
              key={token}
              className="inline-flex h-7 max-w-full items-center gap-1 rounded-control border border-line bg-surface pr-0.5 pl-2 text-mono has-[button:disabled]:pr-2"
            >
              <span className="truncate font-mono" title={token}>
                {token}
              </span>
              <button
                type="button"
                aria-label={`Remove ${token}`}
                onClick={() => remove(token)}
                className="hit grid size-6 place-items-center rounded-[4px] text-muted hover:bg-hover hover:text-text disabled:hidden"
              >
                <X size={14} />
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
