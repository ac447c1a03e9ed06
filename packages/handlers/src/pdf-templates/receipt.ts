import { customerName, htmlDocument, itemDescription, letterhead, number, sumRow, totalsRow } from './parts.js';

/**
 * The variables of a receipt: `company` {name, address, email, phone, tax_id, logo}, `customer` {name, email}, `number`,
 * `date`, `currency`, `locale` (of formatted numbers), `amount` (default: the sum of the items and the tax), `items` [{description, quantity, unit_price, amount}],
 * `tax`, `tax_label`, `method`, `reference`, `notes`, `accent`.
 */
export const receipt = htmlDocument({
  title: `Receipt ${number}`,
  accent: '#1d6f5c',
  css: `
  .paid {
    display: flex; justify-content: space-between; align-items: center; gap: 8mm;
    background: #f1f6f4; border-radius: 2mm; padding: 7mm 8mm; margin-bottom: 8mm;
  }
  .paid .sum { font-size: 25pt; line-height: 1.1; font-weight: bold; font-variant-numeric: tabular-nums; }
  .stamp {
    color: var(--accent); border: 0.5mm solid var(--accent); border-radius: 1.5mm; padding: 1.5mm 5mm;
    font-size: 12pt; font-weight: bold; letter-spacing: 0.12em; text-transform: uppercase; white-space: nowrap;
  }
  .facts { display: grid; grid-template-columns: repeat(3, 1fr); gap: 6mm 8mm; margin-bottom: 9mm; }
  .end { margin-top: 12mm; padding-top: 4mm; border-top: 0.2mm solid #dfe4ea; break-inside: avoid; }`,
  body: `
${letterhead('Receipt')}
<div class="paid">
  <div>
    <div class="label">Amount received</div>
    <div class="sum">{{ sums.received }}</div>
  </div>
  <div class="stamp">Paid</div>
</div>
<div class="facts">
  <div>
    <div class="label">Received from</div>
    <b>${customerName}</b>
    <div class="muted">{{ customer.email }}</div>
  </div>
  <div><div class="label">Date</div>{{ date }}</div>
  <div>
    <div class="label">Paid by</div>{{ method | default: 'Payment' }}
    {% if reference %}<div class="muted">{{ reference }}</div>{% endif %}
  </div>
</div>
{% if items.size > 0 %}
<table>
  <thead><tr><th>Description</th><th class="number">Quantity</th><th class="number">Amount</th></tr></thead>
  <tbody>
  {% for item in items %}
    <tr>
      <td>${itemDescription}</td>
      <td class="number">{{ item.quantity }}</td>
      <td class="number">{{ item.amount }}</td>
    </tr>
  {% endfor %}
  </tbody>
</table>
<table class="totals">
  {% if sums.tax %}
  ${totalsRow('Subtotal', 'subtotal')}
  ${totalsRow("{{ tax_label | default: 'Tax' }}", 'tax')}
  {% endif %}
  ${totalsRow('Total', 'total')}
  ${sumRow('Total received', 'received')}
</table>
{% endif %}
<div class="end">
  <div class="lines">{{ notes | default: 'Thank you. Please keep this receipt for your records.' }}</div>
  <div class="muted">{{ company.email }} {{ company.phone }} {% if company.tax_id %}Tax ID {{ company.tax_id }}{% endif %}</div>
</div>`,
});
