import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { CDPSession, Locator, Page } from 'playwright-core';
import sharp from 'sharp';
import { expect } from 'vitest';

export interface Look {
  theme: 'light' | 'dark';
  width: number;
  /** Of the window; as usual for its width if not given. */
  height?: number | undefined;
}

export const WIDE = 1440;
export const NARROW = 375;
/** Where a window counts as a phone's, with touch instead of a mouse. */
const PHONE_BELOW = 768;

export const DEFAULT_LOOK: Look = { theme: 'light', width: WIDE };

export function viewportOf({ width, height }: Pick<Look, 'width' | 'height'>): { width: number; height: number } {
  return { width, height: height ?? (isPhone(width) ? 812 : 900) };
}

export const isPhone = (width: number) => width < PHONE_BELOW;

/** What each page looks like now. */
const looks = new WeakMap<Page, Look>();
const sessions = new WeakMap<Page, CDPSession>();

/** Changes the theme, the size of the window and whether it has touch, while the page stays as it is. */
export async function setLook(page: Page, look: Look): Promise<void> {
  const before = looks.get(page);
  looks.set(page, look);
  if (before?.theme !== look.theme) await page.emulateMedia({ colorScheme: look.theme, reducedMotion: 'reduce' });
  const viewport = viewportOf(look);
  const shown = page.viewportSize();
  if (shown?.width !== viewport.width || shown.height !== viewport.height) await page.setViewportSize(viewport);
  if (before !== undefined && isPhone(before.width) === isPhone(look.width)) return;
  const session = sessions.get(page) ?? (await page.context().newCDPSession(page));
  sessions.set(page, session);
  await session.send('Emulation.setTouchEmulationEnabled', { enabled: isPhone(look.width) });
}

/**
 * In both themes at each of the widths, the page shows `shown`, and has no serious or critical finding of axe and nothing
 * to scroll sideways. Keeps a picture of each look under that name. The page has the look of before at the end.
 */
export async function expectAccessibleInEveryLook(
  page: Page,
  name: string,
  shown: Locator,
  widths: readonly number[] = [WIDE, NARROW],
): Promise<void> {
  const found: string[] = [];
  await inEveryLook(page, shown, widths, async (look, isFirstOfWidth) => {
    const findings = await findFaults(page, isFirstOfWidth ? undefined : OF_COLORS);
    found.push(...findings.map((finding) => `${name} in ${look.theme} at ${look.width}: ${finding}`));
    await screenshot(page, name, look);
  });
  expect(found).toEqual([]);
}

/** Keeps a picture of each look, where SCREENSHOTS says so. */
export async function screenshotEveryLook(page: Page, name: string, shown: Locator): Promise<void> {
  if (!process.env.SCREENSHOTS) return shown.waitFor();
  await inEveryLook(page, shown, [WIDE, NARROW], (look) => screenshot(page, name, look));
}

async function inEveryLook(
  page: Page,
  shown: Locator,
  widths: readonly number[],
  check: (look: Look, isFirstOfWidth: boolean) => Promise<void>,
): Promise<void> {
  const before = looks.get(page) ?? DEFAULT_LOOK;
  for (const width of widths) {
    for (const theme of ['light', 'dark'] as const) {
      const look: Look = { theme, width };
      await setLook(page, look);
      await shown.waitFor();
      await page.evaluate(SETTLE);
      await check(look, theme === 'light');
    }
  }
  await setLook(page, before);
}

/** Resolves once two frames in a row have changed nothing in the document. */
const SETTLE = `new Promise((resolve) => {
  let quietFrames = 0;
  const observer = new MutationObserver(() => { quietFrames = 0; });
  observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
  const next = () => {
    if (quietFrames++ < 2) return void requestAnimationFrame(next);
    observer.disconnect();
    resolve();
  };
  requestAnimationFrame(next);
})`;

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** The rules whose findings depend on the theme. */
const OF_COLORS = ['color-contrast', 'link-in-text-block'];

interface Finding {
  id: string;
  impact: string | null;
  help: string;
  nodes: { html: string; failureSummary?: string }[];
}

/** No serious or critical finding of axe, and nothing to scroll sideways. */
export async function expectAccessible(page: Page): Promise<void> {
  expect(await findFaults(page)).toEqual([]);
}

/** What axe finds by those rules, or by all, and whether the page scrolls sideways. */
async function findFaults(page: Page, rules?: readonly string[]): Promise<string[]> {
  // Through the debugger, which the page's policy does not bind.
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(AXE);
  const { violations, sideways } = await page.evaluate<{ violations: Finding[]; sideways: number }>(
    // Frames run no script, so axe would only wait for their answer.
    `axe.run(document, { resultTypes: ['violations'], iframes: false${rules ? `, runOnly: ${JSON.stringify(rules)}` : ''} })
      .then(({ violations }) => ({
        violations,
        sideways: document.documentElement.scrollWidth - document.documentElement.clientWidth,
      }))`,
  );
  const grave = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
  return [
    ...grave.map(
      ({ id, help, nodes }) => `${id}: ${help}\n${nodes.map((n) => `${n.html} ${n.failureSummary}`).join('\n')}`,
    ),
    ...(sideways > 0 ? [`it scrolls sideways by ${sideways} pixels`] : []),
  ];
}

/** Keeps a small picture of the page (256 colors) where SCREENSHOTS says; without that, nothing. */
export async function screenshot(page: Page, name: string, { theme, width }: Look): Promise<void> {
  const dir = process.env.SCREENSHOTS;
  if (!dir) return;
  mkdirSync(dir, { recursive: true });
  const whole = await page.screenshot({ animations: 'disabled', caret: 'hide' });
  await sharp(whole)
    .png({ palette: true, effort: 10, compressionLevel: 9, dither: 0 })
    .toFile(join(dir, `${name}-${theme}-${width}.png`));
}
