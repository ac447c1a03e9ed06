import type { LeftOutPart } from '@jobline/handlers/ports';
import type { Page } from 'puppeteer';

/** A part that the document wanted and its policy blocked, once for each time that it was wanted. */
export interface BlockedPart {
  part: LeftOutPart;
  /** Complete, but only the origin of a frame or an object. */
  address: string;
}

const PARTS: Readonly<Record<string, LeftOutPart>> = {
  'font-src': 'font',
  'frame-src': 'frame',
  'img-src': 'image',
  'media-src': 'video or audio',
  'object-src': 'object',
  'style-src-elem': 'style sheet',
};

/** A document that wants more is not helped by a longer list. */
const MAX_BLOCKED = 1_000;

/**
 * Collects what the policy of the document blocks. Chromium reports it, so it contains what style sheets, frames and
 * shadow trees want too.
 */
export async function watchBlockedParts(page: Page): Promise<readonly BlockedPart[]> {
  const blocked: BlockedPart[] = [];
  const session = await page.createCDPSession();
  session.on('Audits.issueAdded', ({ issue }) => {
    const { violatedDirective = '', blockedURL } = issue.details.contentSecurityPolicyIssueDetails ?? {};
    const part = PARTS[violatedDirective];
    if (part && blockedURL && blocked.length < MAX_BLOCKED) blocked.push({ part, address: blockedURL });
  });
  await session.send('Audits.enable');
  return blocked;
}
