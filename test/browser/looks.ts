import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { CDPSession, Locator, Page } from 'playwright-core';
import sharp from 'sharp';
import { expect } from 'vitest';

export interface Look {
  theme: 'light' | 'dark';
  width: number;
  /** The height of the window. Default: a usual height for the width. */
  height?: number | undefined;
}

export const WIDE = 1440;
export const NARROW = 375;
/** The width below which a window counts as a phone, with touch instead of a mouse. */
const PHONE_BELOW = 768;

export const DEFAULT_LOOK: Look = { theme: 'light', width: WIDE };

export function viewportOf({ width, height }: Pick<Look, 'width' | 'height'>): { width: number; height: number } {
  return { width, height: height ?? (isPhone(width) ? 812 : 900) };
}

export const isPhone = (width: number) => width < PHONE_BELOW;

/** The current look of each page. */
const looks = new WeakMap<Page, Look>();
const sessions = new WeakMap<Page, CDPSession>();

/** Changes the theme, the window size and touch support, without reloading the page. */
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
 * Checks the page in both themes at each width: `shown` is visible, axe has no serious or critical findings, and the
 * page does not scroll sideways. Takes a screenshot of each look. At the end, the page has its previous look again.
 */
export async function expectAccessibleInEveryLook(
  page: Page,
  name: string,
  shown: Locator,
  widths: readonly number[] = [WIDE, NARROW],
): Promise<void> {
  const found: string[] = [];
  await inEveryLook(page, shown, widths, async (look, isFirstOfWidth) => {
    const findings = await findProblems(page, isFirstOfWidth ? undefined : COLOR_RULES);
    found.push(...findings.map((finding) => `${name} in ${look.theme} at ${look.width}: ${finding}`));
    await screenshot(page, name, look);
  });
  expect(found).toEqual([]);
}

/** Takes a screenshot of each look, if SCREENSHOTS is set. */
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
      await page.evaluate(WAIT_UNTIL_STABLE);
      await check(look, theme === 'light');
    }
  }
  await setLook(page, before);
}

/** A script that resolves when the document has not changed for two frames. */
const WAIT_UNTIL_STABLE = `new Promise((resolve) => {
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
/** The rules of axe that depend on the theme. */
const COLOR_RULES = ['color-contrast', 'link-in-text-block'];

interface Finding {
  id: string;
  impact: string | null;
  help: string;
  nodes: { html: string; failureSummary?: string }[];
}

/** Checks that axe has no serious or critical findings, and that the page does not scroll sideways. */
export async function expectAccessible(page: Page): Promise<void> {
  expect(await findProblems(page)).toEqual([]);
}

/** Returns the findings of axe by the given rules (default: all), and whether the page scrolls sideways. */
async function findProblems(page: Page, rules?: readonly string[]): Promise<string[]> {
  // The debugger runs the script, because the content security policy of the page would block it.
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(AXE);
  const { violations, sideways } = await page.evaluate<{ violations: Finding[]; sideways: number }>(
    // The frames run no scripts, so axe would wait for them without a result.
    `axe.run(document, { resultTypes: ['violations'], iframes: false${rules ? `, runOnly: ${JSON.stringify(rules)}` : ''} })
      .then(({ violations }) => ({
        violations,
        sideways: document.documentElement.scrollWidth - document.documentElement.clientWidth,
      }))`,
  );
  const severe = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
  return [
    ...severe.map(
      ({ id, help, nodes }) => `${id}: ${help}\n${nodes.map((n) => `${n.html} ${n.failureSummary}`).join('\n')}`,
    ),
    ...(sideways > 0 ? [`the page scrolls sideways by ${sideways} pixels`] : []),
  ];
}

/** Writes a screenshot with 256 colors into the directory SCREENSHOTS. Does nothing if it is not set. */
export async function screenshot(page: Page, name: string, { theme, width }: Look): Promise<void> {
  const dir = process.env.SCREENSHOTS;
  if (!dir) return;
  mkdirSync(dir, { recursive: true });
  const whole = await page.screenshot({ animations: 'disabled', caret: 'hide' });
  await sharp(whole)
    .png({ palette: true, effort: 10, compressionLevel: 9, dither: 0 })
    .toFile(join(dir, `${name}-${theme}-${width}.png`));
}
