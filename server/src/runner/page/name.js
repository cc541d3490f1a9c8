// Accessible roles and names, as the accessibility tree has them where recordings rely on it.

const ROLES_OF_INPUTS = {
  button: 'button', submit: 'button', reset: 'button', image: 'button', checkbox: 'checkbox', radio: 'radio',
  range: 'slider', number: 'spinbutton', search: 'searchbox', email: 'textbox', tel: 'textbox', url: 'textbox',
  text: 'textbox', password: 'textbox', color: 'ColorWell', date: 'Date', 'datetime-local': 'DateTime',
  month: 'Date', week: 'Date', time: 'InputTime', file: 'button',
};

const ROLES_OF_ELEMENTS = {
  article: 'article', aside: 'complementary', b: 'generic', blockquote: 'blockquote', body: 'generic',
  button: 'button', caption: 'caption', code: 'code', datalist: 'listbox', dd: 'definition', del: 'deletion',
  details: 'group', dfn: 'term', dialog: 'dialog', div: 'generic', dt: 'term', em: 'emphasis',
  fieldset: 'group', figcaption: 'figcaption', figure: 'figure', h1: 'heading', h2: 'heading', h3: 'heading',
  h4: 'heading', h5: 'heading', h6: 'heading', hr: 'separator', i: 'generic', iframe: 'Iframe',
  ins: 'insertion', label: 'LabelText', legend: 'Legend', li: 'listitem', main: 'main', mark: 'mark',
  math: 'math', menu: 'list', meter: 'meter', nav: 'navigation', ol: 'list', optgroup: 'group',
  option: 'option', output: 'status', p: 'paragraph', pre: 'generic', progress: 'progressbar',
  samp: 'generic', search: 'search', section: 'generic', small: 'generic', span: 'generic', strong: 'strong',
  sub: 'subscript', summary: 'DisclosureTriangle', sup: 'superscript', table: 'table', tbody: 'rowgroup',
  td: 'cell', textarea: 'textbox', tfoot: 'rowgroup', th: 'columnheader', thead: 'rowgroup', time: 'time',
  tr: 'row', u: 'generic', ul: 'list',
};

/** What names itself by its content. */
const NAMED_BY_CONTENT = new Set([
  'button', 'cell', 'checkbox', 'columnheader', 'DisclosureTriangle', 'gridcell', 'heading', 'link', 'menuitem',
  'menuitemcheckbox', 'menuitemradio', 'option', 'radio', 'row', 'rowheader', 'switch', 'tab', 'tooltip',
  'treeitem', 'term', 'caption', 'figcaption', 'sectionhead',
]);

/** What sectioning content makes of header and footer. */
const scoped = element => nearest(above(element) ?? document.body, e =>
  ['article', 'aside', 'main', 'nav', 'section'].includes(e.localName));

/** Whether a header cell heads its row: by its scope, else where it stands beside data alone. */
const ofRow = header => {
  if (header.scope) return header.scope.startsWith('row');
  const beside = [header.previousElementSibling, header.nextElementSibling].filter(Boolean);
  return beside.length > 0 && beside.every(cell => cell.localName === 'td');
};

const roleOf = element => {
  const given = squeeze(element.getAttribute('role')).split(' ')[0];
  if (given && given !== 'none' && given !== 'presentation') return given === 'image' ? 'img' : given;
  if (given) return 'none';
  const tag = element.localName;
  switch (tag) {
    case 'a': case 'area': return element.hasAttribute('href') ? 'link' : 'generic';
    case 'img': return element.getAttribute('alt') === '' ? 'none' : 'img';
    case 'svg': return 'img';
    case 'input': {
      if (element.type === 'hidden') return 'none';
      return element.list && ['text', 'search', 'email', 'tel', 'url'].includes(element.type)
        ? 'combobox' : ROLES_OF_INPUTS[element.type] ?? 'textbox';
    }
    case 'select': return element.multiple || element.size > 1 ? 'listbox' : 'combobox';
    case 'header': return scoped(element) ? 'generic' : 'banner';
    case 'footer': return scoped(element) ? 'generic' : 'contentinfo';
    case 'form': return named(element) ? 'form' : 'generic';
    case 'section': return named(element) ? 'region' : 'generic';
    case 'th': return ofRow(element) ? 'rowheader' : 'columnheader';
    default: return ROLES_OF_ELEMENTS[tag] ?? 'generic';
  }
};

/** Whether an author gave it a name of its own. */
const named = element =>
  Boolean(squeeze(element.getAttribute('aria-label')) || element.getAttribute('aria-labelledby') ||
    squeeze(element.getAttribute('title')));

/** Whether the accessibility tree leaves it out. */
const hiddenFromNames = element =>
  element.getAttribute('aria-hidden') === 'true' || !element.checkVisibility({ visibilityProperty: true });

const byIds = (element, ids) => squeeze(ids).split(' ')
  .map(id => element.getRootNode().getElementById?.(id)).filter(Boolean);

const isBlock = element => {
  const display = getComputedStyle(element).display;
  return !display.startsWith('inline') && display !== 'contents' && display !== 'ruby' ;
};

const pseudo = (element, which) => {
  const content = getComputedStyle(element, which).content;
  const text = /^"((?:[^"\\]|\\.)*)"/.exec(content)?.[1];
  return text === undefined ? '' : text.replace(/\\(.)/g, '$1');
};

/** The text of what is inside, as a name is made of it. */
const namedByContent = (element, seen) => {
  let text = pseudo(element, '::before');
  const children = element.localName === 'slot' && element.assignedNodes().length
    ? element.assignedNodes() : (element.shadowRoot ?? element).childNodes;
  for (const child of children) {
    if (child.nodeType === Node.TEXT_NODE) text += child.data;
    else if (child.nodeType === Node.ELEMENT_NODE) {
      const part = partOfName(child, seen);
      text += isBlock(child) || child.localName === 'br' ? ` ${part} ` : part;
    }
  }
  return text + pseudo(element, '::after');
};

/** What a child brings to the name of what it is in. */
const partOfName = (element, seen) => {
  if (seen.has(element) || ['script', 'style', 'noscript', 'template'].includes(element.localName)) return '';
  if (hiddenFromNames(element)) return '';
  const role = roleOf(element);
  if (role === 'textbox' || role === 'searchbox' || role === 'spinbutton') return element.value ?? element.innerText ?? '';
  if (element.localName === 'select') return [...element.selectedOptions].map(o => o.text).join(' ');
  if (role === 'slider' || role === 'progressbar' || role === 'meter') {
    return element.getAttribute('aria-valuetext') ?? element.getAttribute('aria-valuenow') ?? String(element.value ?? '');
  }
  const own = authored(element, seen);
  if (own) return own;
  seen.add(element);
  return namedByContent(element, seen) || squeeze(element.getAttribute('title'));
};

/** The name from aria-label, labels, alt and the like; what is inside aside. */
const authored = (element, seen) => {
  const label = squeeze(element.getAttribute('aria-label'));
  if (label) return label;
  switch (element.localName) {
    case 'input':
      if (element.labels?.length) return labelled(element, seen);
      if (['button', 'submit', 'reset'].includes(element.type)) {
        return element.value || { submit: 'Submit', reset: 'Reset' }[element.type] || '';
      }
      if (element.type === 'image') return squeeze(element.alt) || squeeze(element.title) || 'Submit';
      return '';
    case 'select': case 'textarea': case 'meter': case 'progress': case 'output': case 'button':
      return element.labels?.length ? labelled(element, seen) : '';
    case 'img': case 'area': return squeeze(element.getAttribute('alt'));
    case 'svg': return squeeze(element.querySelector(':scope > title')?.textContent);
    case 'fieldset': {
      const legend = element.querySelector(':scope > legend');
      return legend ? squeeze(namedByContent(legend, seen)) : '';
    }
    case 'figure': {
      const caption = element.querySelector(':scope > figcaption');
      return caption ? squeeze(namedByContent(caption, seen)) : '';
    }
    case 'table': return element.caption ? squeeze(namedByContent(element.caption, seen)) : '';
    case 'iframe': return squeeze(element.title);
    default: return '';
  }
};

const labelled = (element, seen) => {
  const inside = new Set(seen).add(element);
  return squeeze([...element.labels].map(label => namedByContent(label, inside)).join(' '));
};

/** The accessible name. */
const nameOf = element => {
  const refs = element.getAttribute('aria-labelledby');
  if (refs) {
    const text = squeeze(byIds(element, refs).map(other => {
      const seen = new Set([element]);
      return authored(other, seen) || namedByContent(other, seen);
    }).join(' '));
    if (text) return text;
  }
  const seen = new Set();
  const own = squeeze(authored(element, seen));
  if (own) return own;
  if (NAMED_BY_CONTENT.has(roleOf(element))) {
    const text = squeeze(namedByContent(element, new Set([element])));
    if (text) return text;
  }
  const title = squeeze(element.getAttribute('title'));
  if (title) return title;
  return squeeze(element.getAttribute('placeholder') ?? element.getAttribute('aria-placeholder'));
};
