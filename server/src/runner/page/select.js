// Selector chains. Each part looks inside what the part before it found, in its shadow root where it has one.

/** `Name[role="button"]` in its parts. */
const parseAria = text => {
  const wanted = {};
  const rest = text.replace(/\[\s*(\w+)\s*=\s*(["'])((?:\\.|(?!\2).)*)\2\s*\]/g, (_, attribute, quote, value) => {
    if (attribute !== 'name' && attribute !== 'role') throw new Error(`the attribute ${attribute} is not name or role`);
    wanted[attribute] = value.replace(/\\(.)/g, '$1');
    return '';
  });
  if (squeeze(rest) && wanted.name === undefined) wanted.name = rest;
  if (wanted.name !== undefined) wanted.name = squeeze(wanted.name);
  return wanted;
};

/** Roles that have had other names in recordings of other years. */
const roleKey = role => {
  const key = role.toLowerCase();
  return key === 'image' ? 'img' : key;
};

const byAria = (root, text) => {
  const { name, role: given } = parseAria(text);
  const role = given && roleKey(given);
  const found = [];
  for (const element of every(root)) {
    if (role !== undefined && roleKey(roleOf(element)) !== role) continue;
    if (name !== undefined && nameOf(element) !== name) continue;
    if (name !== undefined || !hiddenFromNames(element)) found.push(element);
  }
  return name === undefined ? found : found.filter(e => !hiddenFromNames(e) || found.every(hiddenFromNames));
};

const UNREAD = new Set(['script', 'style', 'noscript', 'template', 'head', 'title', 'meta', 'link']);

/** All the text of a node, values of fields included. `known` remembers what was worked out before. */
const fullText = (node, known) => {
  if (node.nodeType === Node.TEXT_NODE) return node.data;
  if (known.has(node)) return known.get(node);
  const text = freshText(node, known);
  known.set(node, text);
  return text;
};

const freshText = (node, known) => {
  if (node.nodeType === Node.ELEMENT_NODE) {
    if (UNREAD.has(node.localName)) return '';
    if (node instanceof HTMLInputElement) {
      return ['checkbox', 'radio', 'image', 'hidden', 'password', 'file'].includes(node.type) ? '' : node.value;
    }
    if (node instanceof HTMLTextAreaElement) return node.value;
  }
  let text = '';
  if (node.shadowRoot) for (const child of node.shadowRoot.childNodes) text += fullText(child, known);
  for (const child of node.childNodes) text += fullText(child, known);
  return text;
};

/** The innermost elements whose text holds the text. */
const byText = (root, text) => {
  const wanted = squeeze(text);
  const known = new Map();
  const inside = node => {
    const found = [];
    const groups = node.shadowRoot ? [node.shadowRoot.childNodes, node.childNodes] : [node.childNodes];
    for (const children of groups) {
      for (const child of children) {
        if (child.nodeType !== Node.ELEMENT_NODE || UNREAD.has(child.localName)) continue;
        if (!squeeze(fullText(child, known)).includes(wanted)) continue;
        const inner = inside(child);
        if (inner.length) found.push(...inner);
        else found.push(child);
      }
    }
    return found;
  };
  return inside(root);
};

const byXPath = (root, expression) => {
  const context = root instanceof DocumentFragment ? [...root.children] : [root];
  const found = [];
  for (const node of context) {
    const all = document.evaluate(expression, node, null, XPathResult.ORDERED_NODE_SNAPSHOT_TYPE);
    for (let i = 0; i < all.snapshotLength; i++) {
      const item = all.snapshotItem(i);
      if (item instanceof Element) found.push(item);
    }
  }
  return found;
};

const byPierce = (root, selector) => {
  document.createDocumentFragment().querySelector(selector);
  const found = [];
  for (const element of every(root)) if (element.matches(selector)) found.push(element);
  return found;
};

const KINDS = { 'aria/': byAria, 'text/': byText, 'xpath/': byXPath, 'pierce/': byPierce };

const onePart = (root, part) => {
  for (const [prefix, look] of Object.entries(KINDS)) {
    if (part.startsWith(prefix)) return look(root, part.slice(prefix.length));
  }
  return [...root.querySelectorAll(part)];
};

/** The elements that a chain finds, each once. Throws for a chain that is none. */
const query = chain => {
  let found = onePart(document, chain[0]);
  for (const part of chain.slice(1)) {
    const inner = new Set();
    for (const element of found) for (const match of onePart(element.shadowRoot ?? element, part)) inner.add(match);
    found = [...inner];
  }
  return found;
};

/** Whether several elements are one inside the other, as a link and the heading in it are. */
const nested = elements => elements.every((element, i) => i === 0 || within(element, elements[i - 1]));

/**
 * The one element that a chain means: the single match, or the single visible one. By name and text an element
 * and what is inside it alone are found together: then the outer one.
 */
const single = (chain, found, mustBeVisible) => {
  const seen = found.filter(visible);
  if (mustBeVisible && !seen.length) return { why: 'invisible' };
  const pick = seen.length ? seen : found;
  if (pick.length === 1) return { element: pick[0] };
  const last = chain[chain.length - 1];
  if ((last.startsWith('aria/') || last.startsWith('text/')) && nested(pick)) return { element: pick[0] };
  return { why: 'many' };
};
