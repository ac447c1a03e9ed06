import {
  companyName,
  customerName,
  htmlDocument,
  itemDescription,
  letterhead,
  number,
  sumRow,
  totalsRow,
} from './parts.js';

/**
 * The variables of an invoice: `company` {name, address, email, phone, website, tax_id, logo}, `customer` {name, address,
 * email, tax_id}, `number`, `date`, `due_date`, `reference`, `currency`, `locale` (of formatted numbers), `items` [{description,
 * details, quantity, unit, unit_price, amount}], `discount` (an amount, or a percentage such as "10 %"), `tax_rate` (percent),
 * `tax_label`, `shipping`, `paid`, `payment`, `notes`, `accent`.
 */
export const invoice = htmlDocument({
  title: `Invoice ${number}`,
  accent: '#1f4e79',
  css: `
  .parties { display: grid; grid-template-columns: 1fr 1fr 52mm; gap: 8mm; margin-bottom: 9mm; }
  .facts td { border: 0; padding: 0 0 1mm; }
  .facts td:last-child { text-align: right; }
  .due { background: #f3f6f9; border-left: 1mm solid var(--accent); padding: 3mm 4mm; margin-top: 2mm; }
  .due b { display: block; font-size: 14pt; line-height: 1.2; font-variant-numeric: tabular-nums; }
  .end { display: grid; grid-template-columns: 1fr 1fr; gap: 10mm; margin-top: 11mm; break-inside: avoid; }`,
  body: `
${letterhead('Invoice')}
<div class="parties">
  <div>
    <div class="label">Billed to</div>
    <b>${customerName}</b>
    <div class="lines">{{ customer.address }}</div>
    <div>{{ customer.email }}</div>
    {% if customer.tax_id %}<div class="muted">Tax ID {{ customer.tax_id }}</div>{% endif %}
  </div>
  <div>
    <div class="label">From</div>
    <b>${companyName}</b>
    <div>{{ company.email }}</div>
    <div>{{ company.phone }}</div>
    <div>{{ company.website }}</div>
    {% if company.tax_id %}<div class="muted">Tax ID {{ company.tax_id }}</div>{% endif %}
  </div>
  <div>
    <table class="facts">
      <tr><td class="muted">Date</td><td>{{ date }}</td></tr>
      <tr><td class="muted">Due</td><td>{{ due_date | default: 'On receipt' }}</td></tr>
      {% if reference %}<tr><td class="muted">Reference</td><td>{{ reference }}</td></tr>{% endif %}
    </table>
    <div class="due"><div class="label">{{ sums.due_label }}</div><b>{{ sums.due }}</b></div>
  </div>
</div>
<table>
  <thead><tr><th>Description</th><th class="number">Quantity</th><th class="number">Unit price</th><th class="number">Amount</th></tr></thead>
  <tbody>
  {% for item in items %}
    <tr>
      <td>${itemDescription}{% if item.details %}<div class="lines muted">{{ item.details }}</div>{% endif %}</td>
      <td class="number">{{ item.quantity }} {{ item.unit }}</td>
      <td class="number">{{ item.unit_price }}</td>
      <td class="number">{{ item.amount }}</td>
    </tr>
  {% else %}
    <tr><td>Services</td><td class="number">1</td><td class="number">{{ sums.subtotal }}</td><td class="number">{{ sums.subtotal }}</td></tr>
  {% endfor %}
  </tbody>
</table>
<table class="totals">
  ${totalsRow('Subtotal', 'subtotal')}
  ${totalsRow('Discount{% if sums.discount_rate %} {{ sums.discount_rate }} %{% endif %}', 'discount')}
  ${totalsRow("{{ tax_label | default: 'Tax' }} {{ sums.tax_rate }} %", 'tax')}
  ${totalsRow('Shipping', 'shipping')}
  ${sumRow('Total', 'total')}
  {% if sums.paid %}
  ${totalsRow('Paid', 'paid')}
  <tr><td><b>{{ sums.due_label }}</b></td><td class="number"><b>{{ sums.due }}</b></td></tr>
  {% endif %}
</table>
<div class="end">
  {% if payment %}<div><div class="label">Payment</div><div class="lines">{{ payment }}</div></div>{% endif %}
  <div><div class="label">Notes</div><div class="lines">{{ notes | default: 'Thank you for your business.' }}</div></div>
</div>`,
});
