import MiniSearch from './minisearch.js';

const MAX_FOUND = 12;
const query = document.querySelector('#query');
const results = document.querySelector('#results');
const count = document.querySelector('#count');
const list = document.querySelector('#found');

/** Loaded when a search begins, and again after a failure. */
let loading;
const load = () => {
  loading ??= fetch('/help/search.json').then(async (response) => {
    if (!response.ok) throw new Error(response.statusText);
    const index = new MiniSearch({
      fields: ['title', 'page', 'text'],
      storeFields: ['title', 'page', 'url'],
      searchOptions: { boost: { title: 4, page: 2 }, prefix: true, fuzzy: 0.15, combineWith: 'AND' },
    });
    index.addAll(await response.json());
    return index;
  });
  return loading.catch(() => {
    loading = undefined;
    return null;
  });
};

function linkTo({ title, page, url }) {
  const link = document.createElement('a');
  link.href = url;
  link.textContent = title;
  if (page !== title) link.append(Object.assign(document.createElement('small'), { textContent: page }));
  const item = document.createElement('li');
  item.append(link);
  return item;
}

query.addEventListener('focus', load);
query.addEventListener('input', async () => {
  const text = query.value.trim();
  const index = await load();
  if (text !== query.value.trim()) return; // another search has begun
  const found = index?.search(text) ?? [];
  results.hidden = text === '';
  count.textContent = index ? `Sections found: ${found.length}` : 'The server does not answer. Type again to search.';
  list.replaceChildren(...found.slice(0, MAX_FOUND).map(linkTo));
});
// Enter opens the first section.
query.addEventListener('keydown', (event) => {
  if (event.key === 'Enter') list.querySelector('a')?.click();
});
addEventListener('keydown', (event) => {
  if (event.key === '/' && !/^(INPUT|TEXTAREA)$/.test(event.target.tagName)) {
    event.preventDefault();
    query.focus();
  }
  if (event.key === 'Escape') results.hidden = true;
});
results.addEventListener('click', () => {
  results.hidden = true;
});

// Open beside the text, closed above it.
const wide = matchMedia('(min-width: 60rem)');
const pages = document.querySelector('.pages details');
const fit = () => {
  pages.open = wide.matches;
};
wide.addEventListener('change', fit);
fit();
