/**
 * The style of the built-in documents: A4 with page numbers, system fonts in the order of preference, and tables whose
 * head is repeated on every page and whose rows are never split between pages. Each text has the direction of its script.
 */
export const style = `
  @page {
    size: A4;
    margin: 18mm 18mm 20mm;
    @bottom-right {
      content: "Page " counter(page) " of " counter(pages);
      font: 7.5pt "Liberation Sans", Arimo, Helvetica, Arial, "Open Sans", "DejaVu Sans", sans-serif;
      color: #8a94a3;
    }
  }
  * { box-sizing: border-box; margin: 0; padding: 0; unicode-bidi: plaintext; }
  html { -webkit-print-color-adjust: exact; print-color-adjust: exact; }
  body {
    font: 9.5pt/1.5 "Liberation Sans", Arimo, Helvetica, Arial, "Open Sans", "DejaVu Sans", sans-serif;
    color: #1d2733;
    text-align: left;
    overflow-wrap: anywhere;
  }
  .lines { white-space: pre-line; }
  .muted { color: #66717f; }
  .label { font-size: 7pt; letter-spacing: 0.08em; text-transform: uppercase; color: #66717f; margin-bottom: 1mm; }
  .head { display: flex; justify-content: space-between; gap: 12mm; align-items: flex-start; }
  .head .logo { display: block; max-height: 16mm; max-width: 60mm; margin-bottom: 3mm; }
  .head .name { font-size: 13pt; font-weight: bold; line-height: 1.3; }
  .head .kind { text-align: right; white-space: nowrap; }
  .head .kind h1 { font-size: 23pt; font-weight: normal; line-height: 1.1; letter-spacing: 0.02em; color: var(--accent); }
  .rule { height: 0.6mm; background: var(--accent); margin: 7mm 0 7mm; }
  table { width: 100%; border-collapse: collapse; }
  thead { display: table-header-group; }
  tr { break-inside: avoid; }
  th {
    font-size: 7pt; font-weight: bold; letter-spacing: 0.06em; text-transform: uppercase; text-align: left;
    color: #66717f; border-bottom: 0.35mm solid #1d2733; padding: 0 2mm 1.8mm; vertical-align: bottom;
  }
  td { padding: 2.3mm 2mm; border-bottom: 0.2mm solid #dfe4ea; vertical-align: top; }
  th:first-child, td:first-child { padding-left: 0; }
  th:last-child, td:last-child { padding-right: 0; }
  .number { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
  .totals { width: 82mm; margin: 5mm 0 0 auto; break-inside: avoid; }
  .totals td { border: 0; padding: 1.1mm 0; }
  .totals .sum td { border-top: 0.35mm solid #1d2733; padding-top: 2.4mm; font-size: 12pt; font-weight: bold; }
`;
