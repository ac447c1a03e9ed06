import { style } from './style.js';

/**
 * `company` {name, address, email, phone, website, tax_id, logo}, `customer` {name, address, email, tax_id}, `number`,
 * `date`, `due_date`, `reference`, `currency`, `items` [{description, details, quantity, unit, unit_price, amount}],
 * `discount`, `shipping`, `tax_rate` (percent), `tax_label`, `paid`, `payment`, `notes`, `accent`.
 */
export const invoice = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Invoice {{ number | default: '0001' }}</title>
<style>
  :root { --accent: {{ accent | default: '#1f4e79' }}; }
  ${style}
  .parties { display: grid; grid-template-columns: 1fr 1fr 52mm; gap: 8mm; margin-bottom: 9mm; }
  .facts td { border: 0; padding: 0 0 1mm; }
  .facts td:last-child { text-align: right; }
  .due { background: #f3f6f9; border-left: 1mm solid var(--accent); padding: 3mm 4mm; margin-top: 2mm; }
  .due b { display: block; font-size: 14pt; line-height: 1.2; font-variant-numeric: tabular-nums; }
  .end { display: grid; grid-template-columns: 1fr 1fr; gap: 10mm; margin-top: 11mm; break-inside: avoid; }
</style>
</head>
<body>
{%- assign currency = currency | default: 'USD' -%}
{%- assign subtotal = 0 -%}
{%- capture rows -%}
  {%- for item in items -%}
    {%- assign quantity = item.quantity | default: 1 -%}
    {%- assign price = item.unit_price | default: item.price | default: 0 -%}
    {%- assign computed = quantity | times: price | round: 2 -%}
    {%- assign amount = item.amount | default: computed -%}
    {%- assign subtotal = subtotal | plus: amount -%}
  {%- endfor -%}
{%- endcapture -%}
{%- assign discount = discount | default: 0 -%}
{%- assign shipping = shipping | default: 0 -%}
{%- assign rate = tax_rate | default: 0 -%}
{%- assign net = subtotal | minus: discount | plus: shipping -%}
{%- assign tax = net | times: rate | divided_by: 100.0 | round: 2 -%}
{%- assign total = net | plus: tax -%}
{%- assign paid = paid | default: 0 -%}
{%- assign due = total | minus: paid -%}
<div class="head">
  <div>
    {% if company.logo %}<img class="logo" src="{{ company.logo }}" alt="">{% endif %}
    <div class="name">{{ company.name | default: 'Your company' }}</div>
    <div class="lines muted">{{ company.address }}</div>
  </div>
  <div class="kind">
    <h1>Invoice</h1>
    <div class="muted">No. {{ number | default: '0001' }}</div>
  </div>
</div>
<div class="rule"></div>
<div class="parties">
  <div>
    <div class="label">Billed to</div>
    <b>{{ customer.name | default: customer_name | default: 'Customer' }}</b>
    <div class="lines">{{ customer.address }}</div>
    <div>{{ customer.email }}</div>
    {% if customer.tax_id %}<div class="muted">Tax ID {{ customer.tax_id }}</div>{% endif %}
  </div>
  <div>
    <div class="label">From</div>
    <b>{{ company.name | default: 'Your company' }}</b>
    <div>{{ company.email }}</div>
    <div>{{ company.phone }}</div>
    <div>{{ company.website }}</div>
    {% if company.tax_id %}<div class="muted">Tax ID {{ company.tax_id }}</div>{% endif %}
  </div>
  <div>
    <table class="facts">
      <tr><td class="muted">Date</td><td>{{ date | default: 'now' | date: '%-d %B %Y' }}</td></tr>
      <tr><td class="muted">Due</td><td>{{ due_date | default: 'On receipt' | date: '%-d %B %Y' }}</td></tr>
      {% if reference %}<tr><td class="muted">Reference</td><td>{{ reference }}</td></tr>{% endif %}
    </table>
    <div class="due"><div class="label">Amount due</div><b>{{ due | money: currency }}</b></div>
  </div>
</div>
<table>
  <thead><tr><th>Description</th><th class="number">Quantity</th><th class="number">Unit price</th><th class="number">Amount</th></tr></thead>
  <tbody>
  {% for item in items %}
    {%- assign quantity = item.quantity | default: 1 -%}
    {%- assign price = item.unit_price | default: item.price | default: 0 -%}
    {%- assign computed = quantity | times: price | round: 2 -%}
    {%- assign amount = item.amount | default: computed -%}
    <tr>
      <td>{{ item.description | default: item.name | default: 'Item' }}{% if item.details %}<div class="lines muted">{{ item.details }}</div>{% endif %}</td>
      <td class="number">{{ quantity }} {{ item.unit }}</td>
      <td class="number">{{ price | money: currency }}</td>
      <td class="number">{{ amount | money: currency }}</td>
    </tr>
  {% else %}
    <tr><td>Services</td><td class="number">1</td><td class="number">{{ 0 | money: currency }}</td><td class="number">{{ 0 | money: currency }}</td></tr>
  {% endfor %}
  </tbody>
</table>
<table class="totals">
  <tr><td class="muted">Subtotal</td><td class="number">{{ subtotal | money: currency }}</td></tr>
  {% if discount != 0 %}<tr><td class="muted">Discount</td><td class="number">{{ discount | times: -1 | money: currency }}</td></tr>{% endif %}
  {% if shipping != 0 %}<tr><td class="muted">Shipping</td><td class="number">{{ shipping | money: currency }}</td></tr>{% endif %}
  {% if rate != 0 %}<tr><td class="muted">{{ tax_label | default: 'Tax' }} {{ rate }} %</td><td class="number">{{ tax | money: currency }}</td></tr>{% endif %}
  <tr class="sum"><td>Total</td><td class="number">{{ total | money: currency }}</td></tr>
  {% if paid != 0 %}
  <tr><td class="muted">Paid</td><td class="number">{{ paid | times: -1 | money: currency }}</td></tr>
  <tr><td><b>Amount due</b></td><td class="number"><b>{{ due | money: currency }}</b></td></tr>
  {% endif %}
</table>
<div class="end">
  {% if payment %}<div><div class="label">Payment</div><div class="lines">{{ payment }}</div></div>{% endif %}
  <div><div class="label">Notes</div><div class="lines">{{ notes | default: 'Thank you for your business.' }}</div></div>
</div>
</body>
</html>`;
