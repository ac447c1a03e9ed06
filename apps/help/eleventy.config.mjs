import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import GithubSlugger from 'github-slugger';
import MarkdownIt from 'markdown-it';
import anchors from 'markdown-it-anchor';

/** Makes the site that the API serves at this path from the documents of the project. Their links and anchors stay as on GitHub. */
const BASE = '/help';
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const INDEX = 'docs/README.md';
const HTML_PICTURE = /\b(src|srcset)="([^":]+\.png)"/g;
const ROOT_DOCUMENTS = ['ARCHITECTURE.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md'];

const files = readdirSync(join(ROOT, 'docs'), { recursive: true }).map((name) => `docs/${name}`);
const markdown = new MarkdownIt({ html: true }).use(useAnchors).use(useLinks).use(useKeyboard);
const pages = [...files.filter((name) => name.endsWith('.md')), ...ROOT_DOCUMENTS].map(readPage);
/** The pictures in the pages. */
const pictures = new Set(pages.flatMap(picturesIn));
const urls = new Map(pages.map(({ source, url }) => [source, url]));
const sections = sectionsOfIndex();

export default function configure(config) {
  config.setLibrary('md', markdown);
  config.addGlobalData('sections', sections);
  const order = sections.flatMap((section) => section.pages);
  for (const { source, slug, text, ...page } of pages) {
    const at = order.findIndex(({ url }) => url === page.url);
    const next = at >= 0 || source === INDEX ? order[at + 1] : undefined;
    const data = { ...page, source, next, layout: 'page.njk', permalink: `${slug}.html` };
    config.addTemplate(`${slug}.md`, text, data);
  }
  const minisearch = createRequire(import.meta.url)
    .resolve('minisearch')
    .replace(/dist.*/, 'dist/es/index.js');
  config.addPassthroughCopy({ static: '/', [minisearch]: 'minisearch.js' });
  for (const picture of pictures) config.addPassthroughCopy({ [join(ROOT, picture)]: `pictures/${basename(picture)}` });
  config.on('eleventy.after', ({ directories: { output } }) => {
    writeFileSync(join(output, 'search.json'), JSON.stringify(pages.flatMap(searchedSections)));
    const texts = readdirSync(output, { recursive: true }).filter((name) => /\.(html|css|js|json)$/.test(name));
    for (const name of texts) writeFileSync(join(output, `${name}.gz`), gzipSync(readFileSync(join(output, name))));
  });
  return { dir: { input: 'layout', includes: '.' }, templateFormats: ['md'], markdownTemplateEngine: false };
}

function readPage(source) {
  const text = readFileSync(join(ROOT, source), 'utf8');
  const path = source.startsWith('docs/') ? source.slice('docs/'.length) : `project/${source.toLowerCase()}`;
  const slug = source === INDEX ? 'index' : path.replace(/(\/README)?\.md$/, '');
  return {
    source,
    slug,
    text,
    title: /^# (.+)$/m.exec(text)?.[1] ?? slug,
    url: slug === 'index' ? BASE : `${BASE}/${slug}`,
  };
}

function picturesIn({ source, text }) {
  const paths = [...text.matchAll(HTML_PICTURE), ...text.matchAll(/!(\[[^\]]*\])\(([\w./-]+)\)/g)];
  return paths.map(([, , path]) => posix.join(posix.dirname(source), path));
}

/** The pages in the order of the index, below its headings. */
function sectionsOfIndex() {
  const text = readFileSync(join(ROOT, INDEX), 'utf8').split('\n## Words')[0] ?? '';
  return text
    .split('\n## ')
    .slice(1)
    .map((part) => ({
      title: part.slice(0, part.indexOf('\n')),
      pages: [...part.matchAll(/\[([^\]]+)\]\(([\w./-]+\.md)\)/g)].map(([, title, path]) => ({
        title: title.charAt(0).toUpperCase() + title.slice(1),
        url: urls.get(posix.join('docs', path)),
      })),
    }));
}

/** The anchors of headings, as GitHub makes them. */
function useAnchors(md) {
  let slugger = new GithubSlugger();
  md.core.ruler.before('normalize', 'new_page', () => {
    slugger = new GithubSlugger();
  });
  md.use(anchors, { slugify: (text) => slugger.slug(text), uniqueSlugStartIndex: 1, tabIndex: false });
}

/** Blocks that scroll sideways can be reached by keyboard. */
function useKeyboard(md) {
  const { rules } = md.renderer;
  const { fence } = rules;
  rules.fence = (...block) => fence(...block).replace('<pre>', '<pre tabindex="0">');
  rules.table_open = () => '<table tabindex="0">\n';
}

/** Links between the documents become those of the site. Files of the project that are no page are not linked. */
function useLinks(md) {
  md.core.ruler.push('links', ({ tokens, env }) => {
    for (const block of tokens) {
      const open = [];
      for (const token of block.children ?? [block]) {
        if (token.type.startsWith('html_'))
          token.content = token.content.replace(HTML_PICTURE, (_, name, path) => `${name}="${urlOf(path, env)}"`);
        if (token.type === 'image') token.attrSet('src', urlOf(token.attrGet('src'), env));
        if (token.type === 'link_open') {
          const url = urlOf(token.attrGet('href'), env);
          if (url) token.attrSet('href', url);
          else Object.assign(token, { tag: 'span', attrs: null });
          open.push(token.tag);
        }
        if (token.type === 'link_close') token.tag = open.pop();
      }
    }
  });
}

/** Null: the file is not part of the site. */
function urlOf(link, { source }) {
  if (/^([a-z]+:|#)/.test(link)) return link;
  const [path, anchor] = link.split('#');
  const file = posix.join(posix.dirname(source), path);
  if (pictures.has(file)) return `${BASE}/pictures/${basename(file)}`;
  const url = urls.get(file);
  return url ? url + (anchor ? `#${anchor}` : '') : null;
}

/** What a search finds: the text below each heading. */
function searchedSections({ title: page, url, text, source }) {
  const found = [];
  let isHeading = false;
  for (const token of markdown.parse(text, { source })) {
    if (token.type === 'heading_open') found.push({ title: '', page, url: `${url}#${token.attrGet('id')}`, text: '' });
    if (token.type === 'heading_open' || token.type === 'heading_close') isHeading = token.type === 'heading_open';
    const section = found.at(-1);
    if (!section || !token.content) continue;
    const content = token.children?.map((child) => child.content || ' ').join('') ?? token.content;
    if (isHeading) section.title = content;
    else section.text += `${content}\n`;
  }
  return found.map((section, id) => ({ id: `${url} ${id}`, ...section }));
}
