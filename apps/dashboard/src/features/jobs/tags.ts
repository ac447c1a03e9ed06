import { TAG_PATTERN } from '@jobline/contracts';

/** How many tags the API can filter by. */
const MAX_TAGS = 5;

/** The tags in a text that separates them by commas or spaces. */
export function tagsOf(text: string | undefined): string[] {
  return (text ?? '').split(/[\s,]+/).filter((tag) => tag !== '');
}

/** Whether the text has one to five valid tags. */
export function areTags(text: string): boolean {
  const tags = tagsOf(text);
  return tags.length > 0 && tags.length <= MAX_TAGS && tags.every((tag) => TAG_PATTERN.test(tag));
}
