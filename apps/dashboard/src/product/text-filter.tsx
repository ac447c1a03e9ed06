import { useState } from 'react';
import { Field, Input, type InputProps } from '../ui/index.js';

interface TextFilterProps<Change> extends Pick<InputProps, 'placeholder' | 'maxLength' | 'suggestions' | 'className'> {
  label: string;
  /** Hides the label visually. */
  hideLabel?: boolean;
  /** The text of the filter that is set; empty: none is. */
  current: string;
  /** The change that a text makes; undefined: the text is invalid. An empty text removes the filter. */
  parse: (text: string) => Change | undefined;
  onChange: (change: Change) => void;
  /** What a valid text is, for the message about an invalid one. */
  rule?: string;
}

/**
 * An input for a filter. A suggested value and an empty text apply as soon as they are typed or chosen, others with Enter, and when
 * the input loses the focus. An invalid text stays in the input, with a message, and does not change the filter.
 */
export function TextFilter<Change>(props: TextFilterProps<Change>) {
  const { label, hideLabel, className, current, parse, onChange, rule = 'another text', ...input } = props;
  /** Null: the input shows the filter. */
  const [typed, setTyped] = useState<string | null>(null);
  const [isWrong, setWrong] = useState(false);
  const apply = (text: string) => {
    const change = parse(text);
    setWrong(change === undefined);
    if (change !== undefined && text !== current) onChange(change);
    return change !== undefined;
  };
  return (
    <Field label={label} hideLabel={hideLabel} error={isWrong ? `Enter ${rule}.` : undefined} className={className}>
      <Input
        {...input}
        type="search"
        exact
        value={typed ?? current}
        onChange={({ target: { value } }) => {
          setTyped(value);
          setWrong(false);
          if (value === '' || input.suggestions?.includes(value)) apply(value);
        }}
        onKeyDown={({ key }) => key === 'Enter' && typed !== null && apply(typed.trim())}
        onBlur={() => {
          if (typed === null || apply(typed.trim())) setTyped(null);
        }}
      />
    </Field>
  );
}
