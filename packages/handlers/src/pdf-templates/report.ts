import { companyLogo, htmlDocument } from './parts.js';

/**
 * The variables of a report: `title`, `subtitle`, `author`, `date`, `company` {name, logo}, `summary`, `figures` [{label,
 * value, note}], `sections` [{heading, text, points [], table {columns [], rows [[]]}, image, caption}], `notes`, `accent`.
 * Table cells with numbers are aligned to the right.
 */
export const report = htmlDocument({
  title: "{{ title | default: 'Report' }}",
  accent: '#5b3a8c',
  css: `
  body { font-size: 10pt; line-height: 1.55; }
  .head { align-items: flex-end; }
  h1 { font-size: 24pt; line-height: 1.15; font-weight: bold; letter-spacing: -0.01em; }
  .subtitle { font-size: 12pt; color: #66717f; margin-top: 1.5mm; }
  .byline { text-align: right; font-size: 8.5pt; line-height: 1.5; }
  .summary { font-size: 11.5pt; line-height: 1.55; margin-bottom: 8mm; white-space: pre-line; }
  .figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(36mm, 1fr)); gap: 4mm; margin-bottom: 9mm; }
  .figures div { background: #f5f3f9; border-top: 0.8mm solid var(--accent); padding: 3.5mm 4mm; break-inside: avoid; }
  .figures b { display: block; font-size: 17pt; line-height: 1.25; font-variant-numeric: tabular-nums; }
  h2 { font-size: 13.5pt; line-height: 1.3; margin: 9mm 0 2.5mm; color: var(--accent); break-after: avoid; }
  p { margin-bottom: 3mm; white-space: pre-line; orphans: 3; widows: 3; }
  ul { margin: 0 0 3mm 5mm; }
  li { margin-bottom: 1mm; }
  table { margin: 3mm 0 4mm; font-size: 9pt; line-height: 1.45; }
  td { padding-top: 1.7mm; padding-bottom: 1.7mm; }
  figure { margin: 4mm 0; break-inside: avoid; }
  figure img { display: block; max-width: 100%; max-height: 150mm; }
  figcaption { font-size: 8.5pt; margin-top: 1.5mm; }
  .end { margin-top: 10mm; padding-top: 4mm; border-top: 0.2mm solid #dfe4ea; font-size: 8.5pt; break-inside: avoid; }`,
  body: `
<div class="head">
  <div>
    ${companyLogo}
    <h1>{{ title | default: 'Report' }}</h1>
    {% if subtitle %}<div class="subtitle">{{ subtitle }}</div>{% endif %}
  </div>
  <div class="byline muted">
    {% if company.name %}<b>{{ company.name }}</b><br>{% endif %}
    {% if author %}{{ author }}<br>{% endif %}
    {{ date }}
  </div>
</div>
<div class="rule"></div>
{% if summary %}<div class="summary">{{ summary }}</div>{% endif %}
{% if figures.size > 0 %}
<div class="figures">
  {% for figure in figures %}
  <div><span class="label">{{ figure.label | default: 'Figure' }}</span><b>{{ figure.value | default: '–' }}</b><span class="muted">{{ figure.note }}</span></div>
  {% endfor %}
</div>
{% endif %}
{% for section in sections %}
  {% if section.heading %}<h2>{{ section.heading }}</h2>{% endif %}
  {% if section.text %}<p>{{ section.text }}</p>{% endif %}
  {% if section.points.size > 0 %}<ul>{% for point in section.points %}<li>{{ point }}</li>{% endfor %}</ul>{% endif %}
  {% if section.table %}
  <table>
    {% assign first = section.table.rows | first %}
    <thead><tr>{% for column in section.table.columns %}{% assign is_number = first[forloop.index0] | is_numeric %}<th{% if is_number %} class="number"{% endif %}>{{ column }}</th>{% endfor %}</tr></thead>
    <tbody>
    {% for row in section.table.rows %}
      <tr>{% for cell in row %}{% assign is_number = cell | is_numeric %}<td{% if is_number %} class="number"{% endif %}>{{ cell | number }}</td>{% endfor %}</tr>
    {% endfor %}
    </tbody>
  </table>
  {% endif %}
  {% if section.image %}<figure><img src="{{ section.image }}" alt=""><figcaption class="muted">{{ section.caption }}</figcaption></figure>{% endif %}
{% else %}
  {% unless summary %}<p>There is nothing to report.</p>{% endunless %}
{% endfor %}
{% if notes %}<div class="end muted lines">{{ notes }}</div>{% endif %}`,
});
