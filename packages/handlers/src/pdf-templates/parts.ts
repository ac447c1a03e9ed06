/** Parts of the built-in documents, in Liquid. */

import { style } from './style.js';

/** A complete HTML document in the shared style. `title` and `accent` are Liquid; `css` adds to the style. */
export function htmlDocument(options: { title: string; accent: string; css: string; body: string }): string {
  const { title, accent, css, body } = options;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${title}</title>
<style>
  :root { --accent: {{ accent | default: '${accent}' }}; }
  ${style}
  ${css.trim()}
</style>
</head>
<body>
${body.trim()}
</body>
</html>`;
}

export const number = "{{ number | default: '0001' }}";
export const companyName = "{{ company.name | default: 'Your company' }}";
export const customerName = "{{ customer.name | default: customer_name | default: 'Customer' }}";
export const companyLogo = '{% if company.logo %}<img class="logo" src="{{ company.logo }}" alt="">{% endif %}';
export const itemDescription = "{{ item.description | default: item.name | default: 'Item' }}";

/** The head of a business document: the company, the kind of the document and its number. */
export function letterhead(kind: string): string {
  return `<div class="head">
  <div>
    ${companyLogo}
    <div class="name">${companyName}</div>
    <div class="lines muted">{{ company.address }}</div>
  </div>
  <div class="kind">
    <h1>${kind}</h1>
    <div class="muted">No. ${number}</div>
  </div>
</div>
<div class="rule"></div>`;
}

/** A row of the totals. `label` is HTML or Liquid, `amount` the name of a sum; a sum that is null has no row. */
export function totalsRow(label: string, amount: string): string {
  return `{% if sums.${amount} %}<tr><td class="muted">${label}</td><td class="number">{{ sums.${amount} }}</td></tr>{% endif %}`;
}

/** The last row of the totals, which stands out. */
export function sumRow(label: string, amount: string): string {
  return `<tr class="sum"><td>${label}</td><td class="number">{{ sums.${amount} }}</td></tr>`;
}
