import { ARTIFACT_NAME_PATTERN, FILE_NAME_LENGTH } from '@jobline/contracts';
import Joi from 'joi';

export const FILE_NAME_RULE = `use 1 to ${FILE_NAME_LENGTH} characters without / \\ and control characters`;

/** Whether an artifact can have this name. A broken surrogate pair could not be stored. */
export function isFileName(name: string): boolean {
  return ARTIFACT_NAME_PATTERN.test(name) && name.isWellFormed();
}

/** A payload field with the name of the artifact. */
export const fileName = Joi.string()
  .max(FILE_NAME_LENGTH)
  .custom((name: string, { message }) => {
    const isLong = name.length > FILE_NAME_LENGTH; // the rule before has said so
    return isLong || isFileName(name) ? name : message({ custom: `{{#label}} is not a file name: ${FILE_NAME_RULE}` });
  });

/** The name with an extension, as the name of a file: characters that it cannot contain become `-`. */
export function toFileName(name: string, extension: string): string {
  const end = `.${extension}`;
  return (
    name
      .replace(/[/\\\p{Cc}]/gu, '-')
      .slice(0, FILE_NAME_LENGTH - end.length)
      .toWellFormed() + end
  );
}
