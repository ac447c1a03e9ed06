/** What phone networks show as the sender: up to 11 characters with a letter among them, or a number. */
const ALPHANUMERIC = /^(?=.*[A-Za-z])[A-Za-z0-9](?:[A-Za-z0-9 &._-]{0,9}[A-Za-z0-9])?$/;
const NUMBER = /^\+?\d{3,15}$/;

/** Whether a text can be the sender of an SMS. */
export function isSenderId(text: string): boolean {
  return ALPHANUMERIC.test(text) || NUMBER.test(text);
}
