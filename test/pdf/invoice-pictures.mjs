/**
 * Makes the pictures of docs/job-types.md again: `node test/pdf/invoice-pictures.mjs`, after `npm run build`, on a machine with the
 * fonts of the worker image. Each is the top of the built-in invoice, as Chromium draws it for the PDF.
 */
import { fileURLToPath } from 'node:url';
import { builtInTemplates } from '@jobline/handlers';
import { createLiquid } from '@jobline/providers';
import { findChromium } from '@jobline/providers/chromium';
import puppeteer from 'puppeteer';
import sharp from 'sharp';

const DIR = fileURLToPath(new URL('../../docs/pictures/', import.meta.url));
/** The size of an A4 page at 96 dots per inch, of which the upper part is shown. */
const PAGE = { width: 794, height: 660 };
const MARGIN_PX = 57;

const INVOICES = {
  arabic: [
    'KWD',
    'شركة النور للتجارة',
    'أحمد السالم',
    ['خدمات استشارية', 'تصميم الموقع'],
    'شكراً لتعاملكم معنا.',
    '1.255',
  ],
  hindi: [
    'INR',
    'भारत ट्रेडर्स',
    'अनिता शर्मा',
    ['परामर्श सेवाएँ', 'वेबसाइट डिज़ाइन'],
    'आपके व्यवसाय के लिए धन्यवाद।',
    '12,34,567.89',
  ],
  chinese: ['CNY', '上海贸易有限公司', '王小明', ['咨询服务', '网站设计'], '感谢您的惠顾。', '1,200.00'],
  japanese: [
    'JPY',
    '東京商事株式会社',
    '佐藤 花子',
    ['コンサルティング', 'ウェブサイトの設計'],
    'ありがとうございます。',
    '12,000',
  ],
  thai: ['THB', 'บริษัท กรุงเทพ จำกัด', 'สมชาย ใจดี', ['บริการให้คำปรึกษา', 'ออกแบบเว็บไซต์'], 'ขอบคุณที่ใช้บริการ', '1 234.50'],
  amharic: ['ETB', 'አዲስ ንግድ', 'አበበ ከበደ', ['የምክር አገልግሎት', 'የድረ ገጽ ንድፍ'], 'እናመሰግናለን።', '1200.00'],
  emoji: ['USD', 'Cakes & Candles 🎂', 'Ada 👩🏽‍💻', ['Cake 🍰', 'Candles 🕯️'], 'Thank you 🙏🏽 👨‍👩‍👧', '$5'],
};

const liquid = createLiquid({ renderLimitMs: 5_000 });
const { path: executablePath } = await findChromium(undefined);
const browser = await puppeteer.launch({ executablePath, args: ['--no-sandbox'] });
const page = await browser.newPage();
await page.setViewport(PAGE);
await page.emulateMediaType('print');
for (const [name, [currency, company, customer, items, notes, price]] of Object.entries(INVOICES)) {
  const data = {
    ...{ number: '2026-117', date: '2026-11-29', due_date: '2026-12-13T00:00:00+03:00', currency, notes },
    ...{
      company: { name: company },
      customer: { name: customer },
      discount: '10 %',
      tax_rate: '16%',
      shipping: '0.00',
    },
    items: items.map((description, n) => ({ description, quantity: n + 1, unit_price: price })),
  };
  const { name: builtIn, source } = builtInTemplates.get('invoice');
  const { text } = await liquid.fill('pictures', source, data, 'document', undefined, { builtIn });
  await page.setContent(text);
  await page.addStyleTag({ content: `body { padding: ${MARGIN_PX}px }` });
  await sharp(await page.screenshot())
    .png({ palette: true, effort: 10, compressionLevel: 9 })
    .toFile(`${DIR}invoice-${name}.png`);
}
await browser.close();
await liquid.close();
