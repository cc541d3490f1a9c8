// The tree as a person sees it: shadow roots and slots included.

/** The element around a node, out of shadow roots and slots too. */
const above = node => {
  if (node.assignedSlot) return node.assignedSlot;
  const parent = node.parentNode;
  if (parent instanceof ShadowRoot) return parent.host;
  return parent instanceof Element ? parent : null;
};

/** Whether `node` is `other` or inside it. */
const within = (node, other) => {
  for (let at = node; at; at = above(at)) if (at === other) return true;
  return false;
};

/** The nearest element, from `node` upwards, that `test` takes. */
const nearest = (node, test) => {
  for (let at = node; at; at = above(at)) if (test(at)) return at;
  return null;
};

/** Every element under `root` in document order, those in shadow roots after their host. */
function* every(root) {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_ELEMENT);
  while (walker.nextNode()) {
    const element = walker.currentNode;
    yield element;
    if (element.shadowRoot) yield* every(element.shadowRoot);
  }
}

/** Text with every run of white space as one blank. */
const squeeze = text => String(text ?? '').replace(/\s+/g, ' ').trim();

/** Cuts a text for a message. */
const cut = (text, most) => (text.length > most ? text.slice(0, most) + '…' : text);

/** The rectangles of an element that have a size; those of its children where it has none of its own. */
const boxes = element => {
  const own = [...element.getClientRects()].filter(r => r.width > 0 && r.height > 0);
  if (own.length || element.children.length > 50) return own;
  return [...element.children].flatMap(child =>
    [...child.getClientRects()].filter(r => r.width > 0 && r.height > 0));
};

/** Whether a person could see it, opacity aside: custom controls lay an invisible input over a picture. */
const visible = element =>
  element.checkVisibility({ visibilityProperty: true, contentVisibilityAuto: false }) && boxes(element).length > 0;

/** How a person would point at an element in words. */
const describe = element => {
  let words = `<${element.localName}`;
  if (element.id) words += ` id="${cut(element.id, 40)}"`;
  const classes = element.getAttribute('class');
  if (classes) words += ` class="${cut(squeeze(classes), 60)}"`;
  words += '>';
  const text = squeeze(element.innerText ?? element.textContent);
  return text ? `${words} “${cut(text, 60)}”` : words;
};

/** The element that has the focus, in shadow roots too. */
const focused = () => {
  let element = document.activeElement;
  while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
  return element;
};
