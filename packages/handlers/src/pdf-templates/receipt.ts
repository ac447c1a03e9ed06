import { style } from './style.js';

/**
 * `company` {name, address, email, phone, tax_id, logo}, `customer` {name, email}, `number`, `date`, `currency`, `amount`
 * (else the sum of the items), `items` [{description, quantity, unit_price, amount}], `tax`, `tax_label`, `method`,
 * `reference`, `notes`, `accent`.
 */
export const receipt = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Receipt {{ number | default: '0001' }}</title>
<style>
  :root { --accent: {{ accent | default: '#1d6f5c' }}; }
  ${style}
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
  .end { margin-top: 12mm; padding-top: 4mm; border-top: 0.2mm solid #dfe4ea; break-inside: avoid; }
</style>
</head>
<body>
{%- assign currency = currency | default: 'USD' -%}
{%- assign sum = 0 -%}
{%- for item in items -%}
  {%- assign quantity = item.quantity | default: 1 -%}
  {%- assign price = item.unit_price | default: item.price | default: 0 -%}
  {%- assign computed = quantity | times: price | round: 2 -%}
  {%- assign line = item.amount | default: computed -%}
  {%- assign sum = sum | plus: line -%}
{%- endfor -%}
{%- assign tax = tax | default: 0 -%}
{%- assign computed = sum | plus: tax -%}
{%- assign total = amount | default: computed -%}
<div class="head">
  <div>
    {% if company.logo %}<img class="logo" src="{{ company.logo }}" alt="">{% endif %}
    <div class="name">{{ company.name | default: 'Your company' }}</div>
    <div class="lines muted">{{ company.address }}</div>
  </div>
  <div class="kind">
    <h1>Receipt</h1>
    <div class="muted">No. {{ number | default: '0001' }}</div>
  </div>
</div>
<div class="rule"></div>
<div class="paid">
  <div>
    <div class="label">Amount received</div>
    <div class="sum">{{ total | money: currency }}</div>
  </div>
  <div class="stamp">Paid</div>
</div>
<div class="facts">
  <div>
    <div class="label">Received from</div>
    <b>{{ customer.name | default: customer_name | default: 'Customer' }}</b>
    <div class="muted">{{ customer.email }}</div>
  </div>
  <div><div class="label">Date</div>{{ date | default: 'now' | date: '%-d %B %Y' }}</div>
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
    {%- assign quantity = item.quantity | default: 1 -%}
    {%- assign price = item.unit_price | default: item.price | default: 0 -%}
    {%- assign computed = quantity | times: price | round: 2 -%}
    {%- assign line = item.amount | default: computed -%}
    <tr>
      <td>{{ item.description | default: item.name | default: 'Item' }}</td>
      <td class="number">{{ quantity }}</td>
      <td class="number">{{ line | money: currency }}</td>
    </tr>
  {% endfor %}
  </tbody>
</table>
<table class="totals">
  {% if tax != 0 %}
  <tr><td class="muted">Subtotal</td><td class="number">{{ sum | money: currency }}</td></tr>
  <tr><td class="muted">{{ tax_label | default: 'Tax' }}</td><td class="number">{{ tax | money: currency }}</td></tr>
  {% endif %}
  <tr class="sum"><td>Total received</td><td class="number">{{ total | money: currency }}</td></tr>
</table>
{% endif %}
<div class="end">
  <div class="lines">{{ notes | default: 'Thank you. Please keep this receipt for your records.' }}</div>
  <div class="muted">{{ company.email }} {{ company.phone }} {% if company.tax_id %}Tax ID {{ company.tax_id }}{% endif %}</div>
</div>
</body>
</html>`;
