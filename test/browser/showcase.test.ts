import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { runInTerminal } from '../client/cli-process.js';
import { type Look, screenshot } from './looks.js';
import { createHarborGoods } from './showcase-org.js';
import { usePages } from './support.js';

/** The pages with realistic data and without an error in the console (see usePages). */
const pages = usePages();
let org: Awaited<ReturnType<typeof createHarborGoods>>;
beforeAll(async () => {
  org = await createHarborGoods(pages);
});

const rowsOf = (page: Page, table: string) => page.getByRole('table', { name: table }).locator('[data-row-id]');

/** The pages whose pictures are in the documentation, each with what must be on it. */
const SHOWN: { name: string; path: () => string; ready: (page: Page) => Promise<void> }[] = [
  {
    name: 'jobs',
    path: () => '/',
    async ready(page) {
      await page.getByRole('status').getByText('Live').waitFor();
      await page.getByRole('link', { name: 'parcel-48301' }).waitFor();
      expect(await rowsOf(page, 'Jobs, newest first').count()).toBe(100);
      const tiles = page.getByLabel('Jobs by status');
      await tiles.getByText('Running').waitFor();
      await page.locator('svg.recharts-surface').first().waitFor();
    },
  },
  {
    name: 'job',
    path: () => '/job/parcel-48301',
    async ready(page) {
      await page.getByRole('region', { name: 'Attempts' }).getByRole('button').nth(3).waitFor();
      await page.getByText('attempt 4 failed: the receiver answered 503; no attempt follows').waitFor();
      await page.getByRole('button', { name: 'Retry' }).waitFor();
      await page.getByText('"LAMP-02"').waitFor();
    },
  },
  {
    name: 'email',
    path: () => `/email?id=${org.emailId}`,
    async ready(page) {
      const reading = page.getByRole('article', { name: 'Email' });
      await reading.getByRole('heading', { name: 'Order 48301 is on its way' }).waitFor();
      await reading.frameLocator('iframe').getByRole('heading', { name: 'Asante, Wanjiru' }).waitFor();
      const emails = page.getByRole('list', { name: /^Emails/ }).getByRole('listitem');
      await emails.nth(8).waitFor();
      expect(await emails.count()).toBe(9);
    },
  },
  {
    name: 'sms',
    path: () => '/sms',
    async ready(page) {
      await page.getByLabel('To', { exact: true }).fill('+254 711 000 231');
      await page
        .getByLabel('Message', { exact: true })
        .fill('Hi Wanjiru, your order is at the shop. Come by until six.');
      await page.getByText('57 characters').waitFor();
      await page.getByLabel('Message', { exact: true }).blur();
      const messages = page.getByRole('list', { name: 'SMS' }).getByRole('listitem');
      await messages.nth(9).waitFor();
      expect(await messages.count()).toBe(10);
    },
  },
];

const FURTHER: typeof SHOWN = [
  {
    name: 'templates',
    path: () => `/templates?id=${org.templateId}`,
    async ready(page) {
      await page.getByRole('button', { name: 'Edit as JSON' }).click();
      await page.getByLabel('Data (JSON)').fill('{ "order": "48301", "name": "Wanjiru", "day": "tomorrow" }');
      await page.frameLocator('iframe[title="Preview"]').getByRole('heading', { name: 'Asante, Wanjiru' }).waitFor();
      await rowsOf(page, 'Templates').nth(4).waitFor();
      expect(await rowsOf(page, 'Templates').count()).toBe(5);
    },
  },
  {
    name: 'team',
    path: () => '/team',
    async ready(page) {
      for (const who of ['amina', 'joseph', 'leila', 'daniel']) {
        await page.getByText(`${who}@harborgoods.example`).last().waitFor();
      }
    },
  },
];

/** Sets a font, because the system font of a test server is unusual. */
const useKnownFont = "document.documentElement.style.setProperty('--font-sans', '\"Liberation Sans\", system-ui')";

describe.each(['light', 'dark'] as const)('in %s', (theme) => {
  const look = { theme, width: 1280, height: 800 };
  const show = async ({ name, path, ready }: (typeof SHOWN)[number]) => {
    const page = await pages.openPageAs(org.owner, path(), look);
    await ready(page);
    await page.evaluate(useKnownFont);
    await screenshot(page, name, look);
  };

  it.each(SHOWN)('the documentation can show the page $name with realistic data', show);
  it.each(FURTHER)('the page $name shows realistic data', show);

  it('the documentation can show a terminal with the log of a job', async () => {
    const page = await pages.openPage('/theme.js', { ...look, height: 660 });
    await page.setContent(
      terminalPage(await runCommands(['logs parcel-48301', 'list --status failed --limit 6']), look),
    );
    await page.getByText('the receiver answered 503; no attempt follows').waitFor();
    await screenshot(page, 'terminal', look);
  });
});

/** Commands with what they print on a terminal, escape sequences included. */
async function runCommands(commands: readonly string[]): Promise<string> {
  const { key } = (await org.owner.post('/org/api-keys', { name: 'laptop' })).body;
  const env = { JOBLINE_URL: pages.api().url, JOBLINE_API_KEY: key };
  let shown = '';
  for (const command of commands) {
    const { code, stdout } = await runInTerminal(command.split(' '), env);
    expect(code).toBe(0);
    shown += `$ npx jobline ${command}\n${stdout.replaceAll('\r', '')}\n`;
  }
  return shown.trimEnd();
}

/** The colors of the command, by the numbers of their escape sequences. */
const COLORS: Readonly<Record<string, string>> = {
  1: 'font-weight: bold',
  2: 'opacity: 0.65',
  31: 'color: var(--red)',
  32: 'color: var(--green)',
  33: 'color: var(--yellow)',
  36: 'color: var(--cyan)',
};

function terminalPage(text: string, { theme, width }: Look): string {
  const html = text
    .replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with one
    .replace(/\u001b\[(\d+)m/g, (_, number) => (COLORS[number] ? `<span style="${COLORS[number]}">` : '</span>'));
  const [background, color, red, green, yellow, cyan] =
    theme === 'dark'
      ? ['#15181f', '#eceff2', '#fe8a88', '#7ddc9a', '#e8c268', '#7fd3e0']
      : ['#ffffff', '#151b24', '#b7191c', '#1a7f3c', '#8a6100', '#0b6b7b'];
  return `<body style="margin: 0; background: ${background}; color: ${color}; --red: ${red}; --green: ${green}; --yellow: ${yellow};
    --cyan: ${cyan}"><pre style="width: ${width - 48}px; margin: 24px; font: 15px/1.5 'Liberation Mono', monospace">${html}</pre>`;
}
