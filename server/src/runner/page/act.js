// Making an element ready for input, and saying where the input should go.

/** Elements that the server speaks of later, by number. */
const kept = new Map();
let lastKept = 0;
const keep = element => {
  kept.set(++lastKept, element);
  if (kept.size > 64) kept.delete(kept.keys().next().value);
  return lastKept;
};

/** The next frame; a page that draws none must not stop the show. */
const nextFrame = () => new Promise(resolve => {
  requestAnimationFrame(() => resolve());
  setTimeout(resolve, 100);
});

const disabled = element => {
  const control = nearest(element, e => e.matches('button,input,select,textarea,option,fieldset'));
  return Boolean(control?.matches(':disabled')) ||
    Boolean(nearest(element, e => e.getAttribute('aria-disabled') === 'true'));
};

const inView = rect => rect.bottom > 0 && rect.right > 0 && rect.top < innerHeight && rect.left < innerWidth;

const clip = r => {
  const left = Math.max(r.left, 0), top = Math.max(r.top, 0);
  const right = Math.min(r.right, innerWidth), bottom = Math.min(r.bottom, innerHeight);
  return right - left > 0 && bottom - top > 0 ? { left, top, right, bottom } : null;
};

/** Points in the visible part of an element, the best first. */
const pointsIn = (element, offset) => {
  const points = [];
  const box = element.getBoundingClientRect();
  if (offset && offset[0] >= 0 && offset[1] >= 0 && offset[0] <= box.width && offset[1] <= box.height) {
    const point = { x: box.left + offset[0], y: box.top + offset[1] };
    if (point.x >= 0 && point.y >= 0 && point.x < innerWidth && point.y < innerHeight) points.push(point);
  }
  const clipped = boxes(element).map(clip).filter(Boolean).slice(0, 4);
  for (const share of [[0.5, 0.5], [0.25, 0.5], [0.75, 0.5], [0.5, 0.25], [0.5, 0.75], [0.1, 0.1], [0.9, 0.9]]) {
    for (const r of clipped) {
      points.push({ x: r.left + (r.right - r.left) * share[0], y: r.top + (r.bottom - r.top) * share[1] });
    }
  }
  return points;
};

/** What lies at a point, in shadow roots too. */
const at = point => {
  let element = document.elementFromPoint(point.x, point.y);
  while (element?.shadowRoot) {
    const inner = element.shadowRoot.elementFromPoint(point.x, point.y);
    if (!inner || inner === element) break;
    element = inner;
  }
  return element;
};

/** Whether input that lands on `hit` reaches `element`. */
const reaches = (hit, element) => {
  if (!hit) return false;
  if (within(hit, element)) return true;
  const label = nearest(hit, e => e.localName === 'label');
  if (label && (label.control === element || within(element, label))) return true;
  const through = getComputedStyle(element).pointerEvents === 'none';
  return through && hit !== document.body && hit !== document.documentElement && within(element, hit);
};

const show = element => {
  const rects = boxes(element);
  const whole = rects.length && rects.every(r =>
    r.top >= 0 && r.left >= 0 && r.bottom <= innerHeight && r.right <= innerWidth);
  if (!whole) (boxes(element)[0] && element.getClientRects().length ? element : element.firstElementChild ?? element)
    .scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
};

/** Scrolls it into view, waits until it rests, and finds a point of it that nothing covers. */
const aim = async (element, offset) => {
  show(element);
  const before = element.getBoundingClientRect();
  const began = performance.now();
  // The first frame may come at once, before anything could have moved.
  do await nextFrame(); while (performance.now() - began < 10);
  if (!element.isConnected) return { why: 'gone' };
  const after = element.getBoundingClientRect();
  const moved = ['left', 'top', 'width', 'height'].some(side => Math.abs(before[side] - after[side]) > 0.5);
  if (moved) return { why: 'moving' };
  const points = pointsIn(element, offset);
  if (!points.length) return { why: boxes(element).length ? 'outside' : 'invisible' };
  for (const point of points) if (reaches(at(point), element)) return { point };
  const cover = at(points[0]);
  return cover ? { why: 'covered', by: describe(cover) } : { why: 'outside' };
};

/** The form that activating an element submits, and how: `get`, `post` or `dialog`. */
const submission = element => {
  const start = nearest(element, e => e.localName === 'label')?.control ?? element;
  const control = nearest(start, e => e.localName === 'button' || e.localName === 'input');
  if (!control || control.disabled || !['submit', 'image'].includes(control.type)) return null;
  return submissionBy(control);
};

const submissionBy = control => {
  const form = control.form;
  if (!form) return null;
  const method = control.getAttribute('formmethod') ?? form.getAttribute('method') ?? 'get';
  const known = ['post', 'dialog'].find(m => m === method.trim().toLowerCase());
  return { form, method: known ?? 'get' };
};

/** The submission that Enter brings where the focus is now. `{inside: true}` where the focus is in a frame. */
const enterSubmits = () => {
  const element = focused();
  if (!element) return null;
  if (element.localName === 'iframe' || element.localName === 'frame') return { inside: true };
  const button = element.localName === 'button' || (element.localName === 'input' && !isText(element));
  if (button) {
    const submit = submission(element);
    return submit && { method: submit.method };
  }
  if (!(element instanceof HTMLInputElement) || !element.form) return null;
  const form = element.form;
  const button0 = [...form.elements].find(e => (e.localName === 'button' || e.localName === 'input') &&
    ['submit', 'image'].includes(e.type));
  if (button0) return button0.disabled ? null : { method: submissionBy(button0).method };
  const fields = [...form.elements].filter(e => e instanceof HTMLInputElement && isText(e));
  return fields.length <= 1 ? { method: submissionBy(element).method } : null;
};

/** Whether a click on it may send what was typed: a button or a link and not a field. */
const sends = element => Boolean(nearest(element, e =>
  e.localName === 'button' || e.localName === 'a' ||
  (e.localName === 'input' && ['submit', 'image', 'button'].includes(e.type)) ||
  ['button', 'link', 'menuitem'].includes(e.getAttribute('role'))));

/** Why a single match cannot be used for what is needed, or where input for it should go. */
const ready = async (element, need, offset) => {
  if (need === 'read') return {};
  if (need !== 'hover' && need !== 'scroll' && disabled(element)) return { why: 'disabled' };
  if (need === 'scroll') return {};
  if (need === 'field') {
    show(element);
    await nextFrame();
    return element.isConnected ? {} : { why: 'gone' };
  }
  return aim(element, offset);
};

/**
 * Tries the chains in order; the first `may` of them may serve.
 * `need`: `click`, `hover`, `field`, `scroll` or `read`.
 */
const find = async (chains, may, need, offset) => {
  const tries = [];
  let served = null;
  for (const [index, chain] of chains.entries()) {
    const tried = { matched: 0 };
    tries.push(tried);
    let found;
    try {
      found = query(chain);
    } catch (error) {
      tried.why = 'bad';
      tried.detail = cut(squeeze(error.message), 200);
      continue;
    }
    tried.matched = found.length;
    if (!found.length) continue;
    const { element, why } = single(chain, found, need !== 'read');
    if (!element) {
      tried.why = why;
      continue;
    }
    if (index >= may) continue;
    const state = await ready(element, need, offset);
    if (state.why) {
      tried.why = state.why;
      tried.detail = state.by;
      continue;
    }
    const submit = need === 'click' ? submission(element) : null;
    served = {
      index, element: keep(element), point: state.point ?? null,
      submits: submit?.method ?? null, sends: need === 'click' && sends(element),
    };
    break;
  }
  return { served, tries, loading: document.readyState === 'loading' };
};

/** How many elements the first chain that finds any finds, for the hint that an element is in a frame. */
const count = chains => {
  for (const chain of chains) {
    try {
      const found = query(chain).length;
      if (found) return found;
    } catch { /* a chain that is none finds nothing */ }
  }
  return 0;
};

/**
 * Where a point of a frame lies in the frame around it, scrolled into view there, and what covers it. `apart`: the
 * frame is in a process of its own, and input finds it only where it was last drawn.
 */
const throughFrame = async (element, x, y, apart) => {
  const place = () => {
    const box = element.getBoundingClientRect();
    const style = getComputedStyle(element);
    return {
      x: box.left + element.clientLeft + parseFloat(style.paddingLeft || '0') + x,
      y: box.top + element.clientTop + parseFloat(style.paddingTop || '0') + y,
    };
  };
  const outside = p => p.x < 0 || p.y < 0 || p.x >= innerWidth || p.y >= innerHeight;
  if (outside(place()) || at(place()) !== element) {
    element.scrollIntoView({ block: 'nearest', inline: 'nearest', behavior: 'instant' });
  }
  if (outside(place())) {
    const { x: left, y: top } = place();
    scrollBy({ left: left - innerWidth / 2, top: top - innerHeight / 2, behavior: 'instant' });
  }
  if (apart) {
    await nextFrame();
    await nextFrame();
  }
  const point = place();
  const hit = at(point);
  if (hit === element) return { point, by: null };
  return { point, by: hit ? describe(hit) : 'the edge of the window' };
};
