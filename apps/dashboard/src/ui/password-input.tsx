import { Eye, EyeOff } from 'lucide-react';
import { useState } from 'react';
import { cx } from './cx.js';
import { IconButton } from './icon-button.js';
import { Input, type InputProps } from './input.js';

export interface PasswordInputProps extends Omit<InputProps, 'type' | 'autoComplete'> {
  /** Required, because password managers depend on it. */
  autoComplete: 'current-password' | 'new-password';
}

/** A password input with a button that shows the password. */
export function PasswordInput({ className, ...rest }: PasswordInputProps) {
  const [shown, setShown] = useState(false);
  return (
    <div className="relative">
      <Input
        {...rest}
        type={shown ? 'text' : 'password'}
        spellCheck={false}
        autoCapitalize="none"
        className={cx('pr-11', className)}
      />
      <IconButton
        label={shown ? 'Hide password' : 'Show password'}
        icon={shown ? <EyeOff /> : <Eye />}
        size="small"
        onClick={() => setShown(!shown)}
        className="absolute! inset-y-0 right-1.5 my-auto"
      />
    </div>
  );
}
