import { useState } from 'react';
import { Input } from '../../ui/index.js';

export interface TextFilterProps {
  label: string;
  placeholder: string;
  /** The filter; '' if it is not set. */
  current: string;
  /** Values that apply as soon as they are typed or chosen. Others apply with Enter, and when the input loses the focus. */
  suggestions?: readonly string[];
  isValid: (text: string) => boolean;
  /** Called with a valid text, or '' to remove the filter. */
  onChange: (text: string) => void;
}

/** An input for a filter. */
export function TextFilter({ label, placeholder, current, suggestions, isValid, onChange }: TextFilterProps) {
  /** Null while the input does not have the focus. It then shows the filter. */
  const [typed, setTyped] = useState<string | null>(null);
  const apply = (text: string) => {
    if (text !== current && (text === '' || isValid(text))) onChange(text);
  };
  return (
    <Input
      type="search"
      aria-label={label}
      placeholder={placeholder}
      autoComplete="off"
      spellCheck={false}
      suggestions={suggestions}
      value={typed ?? current}
      onChange={({ target: { value } }) => {
        setTyped(value);
        if (value === '' || suggestions?.includes(value)) apply(value);
      }}
      onKeyDown={({ key }) => key === 'Enter' && typed !== null && apply(typed.trim())}
      onBlur={() => {
        if (typed !== null) apply(typed.trim());
        setTyped(null);
      }}
    />
  );
}
