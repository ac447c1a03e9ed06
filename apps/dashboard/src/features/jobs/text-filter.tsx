import { useState } from 'react';
import { Field, Input } from '../../ui/index.js';

export interface TextFilterProps {
  label: string;
  /** Hides the label visually. */
  hideLabel: boolean;
  placeholder: string;
  /** The filter; '' if it is not set. */
  current: string;
  /** Values that apply as soon as they are typed or chosen. Others apply with Enter, and when the input loses the focus. */
  suggestions?: readonly string[];
  isValid: (text: string) => boolean;
  /** What a valid text is, for the message about an invalid one. */
  rule: string;
  /** Called with a valid text, or '' to remove the filter. */
  onChange: (text: string) => void;
}

/** An input for a filter. An invalid text stays in the input, with a message, and does not change the filter. */
export function TextFilter(props: TextFilterProps) {
  const { label, hideLabel, placeholder, current, suggestions, isValid, rule, onChange } = props;
  /** Null: the input shows the filter. */
  const [typed, setTyped] = useState<string | null>(null);
  const [isWrong, setWrong] = useState(false);
  const apply = (text: string) => {
    const isUsable = text === '' || isValid(text);
    setWrong(!isUsable);
    if (isUsable && text !== current) onChange(text);
    return isUsable;
  };
  return (
    <Field label={label} hideLabel={hideLabel} error={isWrong ? `Enter ${rule}.` : undefined}>
      <Input
        type="search"
        placeholder={placeholder}
        autoComplete="off"
        spellCheck={false}
        suggestions={suggestions}
        value={typed ?? current}
        onChange={({ target: { value } }) => {
          setTyped(value);
          setWrong(false);
          if (value === '' || suggestions?.includes(value)) apply(value);
        }}
        onKeyDown={({ key }) => key === 'Enter' && typed !== null && apply(typed.trim())}
        onBlur={() => {
          if (typed === null || apply(typed.trim())) setTyped(null);
        }}
      />
    </Field>
  );
}
