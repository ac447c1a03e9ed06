/** HTML that tries every way to reach an address or to read a local file. */
export function hostileHtml(base: string): string {
  return `<!doctype html>
<html manifest="${base}/manifest">
<head>
<base href="${base}/base/">
<meta http-equiv="refresh" content="0; url=${base}/refresh">
<meta http-equiv="content-security-policy" content="report-uri ${base}/csp-report">
<link rel="stylesheet" href="${base}/style.css">
<link rel="preconnect" href="${base}"><link rel="dns-prefetch" href="//dns.example">
<link rel="prefetch" href="${base}/prefetch"><link rel="prerender" href="${base}/prerender">
<link rel="preload" as="image" href="${base}/preload"><link rel="modulepreload" href="${base}/module.js">
<link rel="icon" href="${base}/icon"><link rel="manifest" href="${base}/app.webmanifest"><link rel="import" href="${base}/import">
<link rel="stylesheet" href="file:///etc/passwd">
<script src="${base}/script.js"></script>
<script type="module">import '${base}/module.js'</script>
<script type="speculationrules">{"prefetch": [{"source": "list", "urls": ["${base}/speculation"]}]}</script>
<script>
  fetch('${base}/fetch'); navigator.sendBeacon('${base}/beacon'); new WebSocket('${base.replace('http', 'ws')}/socket');
  new Image().src = '${base}/script-image'; location = '${base}/location'; window.open('${base}/open');
  document.write('SCRIPTS ARE ON');
</script>
<style>
  @import "${base}/import.css"; @import url(${base}/import-url.css);
  @font-face { font-family: stolen; src: url(${base}/font.woff2), url(file:///etc/passwd); }
  body { background: url(${base}/background.png); font-family: stolen; cursor: url(${base}/cursor.png), auto; }
  h1 { background-image: image-set("${base}/set.png" 1x); border-image: url(${base}/border.png); mask: url(${base}/mask.svg#m); }
  li { list-style-image: url(${base}/bullet.png); } p::before { content: url(${base}/content.png); }
  p { filter: url(${base}/filter.svg#f); clip-path: url(${base}/clip.svg#c); shape-outside: url(${base}/shape.png); }
  @page { background: url(${base}/page.png); @top-left { content: url(${base}/margin.png); } }
</style>
</head>
<body onload="fetch('${base}/onload')" background="${base}/body.png">
<section>Still printed</section><h1>masked</h1>
<p>text</p><ul><li>item</li></ul>
<img src="file:///etc/passwd"><img src="data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg'><image href='${base}/svg-in-image'/><script>fetch('${base}/svg-script')</script></svg>">
<picture><source srcset="${base}/source.png"><img alt="x"></picture><img srcset="${base}/srcset.png 1x, ${base}/srcset2.png 2x">
<img src="x:y" onerror="fetch('${base}/onerror')">
<iframe src="${base}/iframe"></iframe><iframe src="file:///etc/passwd"></iframe>
<iframe srcdoc="<img src='${base}/srcdoc-image'><script>fetch('${base}/srcdoc')</script>"></iframe>
<iframe src="data:text/html,<img src='${base}/data-frame'>"></iframe>
<object data="${base}/object"></object><object data="file:///etc/passwd" type="text/html"></object><embed src="${base}/embed">
<applet code="${base}/applet"></applet><portal src="${base}/portal"></portal><fencedframe src="${base}/fenced"></fencedframe>
<video src="${base}/video" poster="${base}/poster" autoplay><track src="${base}/track" default></video><audio src="${base}/audio" autoplay></audio>
<svg><image href="${base}/svg-image"/><image xlink:href="${base}/svg-xlink"/><use href="${base}/use.svg#a"/><feImage href="${base}/feimage"/><script href="${base}/svg.js"></script><a href="${base}/a"><animate attributeName="href" values="${base}/animate"/></a></svg>
<math><mi xlink:href="${base}/math">x</mi></math>
<form action="${base}/form"><input type="image" src="${base}/input.png" formaction="${base}/formaction"><button autofocus>x</button></form>
<a href="${base}/link" ping="${base}/ping">link</a><table background="${base}/table.png"><tr><td background="${base}/cell.png">cell</td></tr></table>
<div style="background: url('${base}/inline-style.png')">styled</div>
<div><template shadowrootmode="open"><img src="${base}/shadow.png"><link rel="stylesheet" href="${base}/shadow.css"></template></div>
<details open ontoggle="fetch('${base}/ontoggle')">x</details>
</body></html>`;
}

/** Small documents that require hours of work or all memory. */
export const BOMBS: readonly [what: string, html: string][] = [
  ['tables with spanning cells', `<table>${'<tr><td rowspan=60000 colspan=1000>x'.repeat(20_000)}</table>`],
  ['a table of 40,000 rows', `<table>${'<tr><td>a<td>b<td>c<td>d'.repeat(40_000)}</table>`],
  ['nested columns', `${'<div style="columns: 3">'.repeat(12)}${'text '.repeat(2_000)}`],
  [
    'an image that references itself many times',
    `<svg><g id="a0"><circle r="3"/></g>${laughs(12)}<use href="#a12"/></svg>`,
  ],
  ['a page of nine kilometers', '<div style="height: 33000000px">x</div>'],
  ['pages of one centimeter', `<style>@page { size: 10mm 10mm; margin: 0 }</style>${'word '.repeat(200_000)}`],
  [
    'shadows and blur',
    '<div style="box-shadow: 0 0 5000px red; filter: blur(2000px); width: 5000px; height: 5000px">x</div>'.repeat(200),
  ],
  ['extreme nesting', '<div>'.repeat(100_000)],
  [
    'a grid of many columns',
    `<div style="display: grid; grid-template-columns: repeat(1000, minmax(min-content, 1fr))">${'<div style="grid-column: 1 / -1">a<span>b</span></div>'.repeat(15_000)}</div>`,
  ],
];

function laughs(levels: number): string {
  const level = (n: number) => `<g id="a${n}">${`<use href="#a${n - 1}"/>`.repeat(10)}</g>`;
  return Array.from({ length: levels }, (_, i) => level(i + 1)).join('');
}
