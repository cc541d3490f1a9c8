// Reading a page: texts, attributes, properties, counts.

const textOf = element => {
  if (element instanceof HTMLSelectElement) return [...element.selectedOptions].map(o => squeeze(o.text)).join(', ');
  if (element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement) return element.value.trim();
  const shown = element.innerText;
  return (visible(element) && typeof shown === 'string' ? shown : element.textContent ?? '').trim();
};

const plain = value => {
  if (value === undefined || typeof value === 'function' || typeof value === 'symbol') return null;
  if (typeof value === 'bigint') return String(value);
  if (value instanceof Node || value === window) return squeeze(value.textContent);
  try {
    const text = JSON.stringify(value);
    return text === undefined || text.length > 1_000_000 ? String(value) : JSON.parse(text);
  } catch {
    return String(value);
  }
};

const take = (element, source) => {
  if (source.attribute !== undefined) return element.getAttribute(source.attribute);
  if (source.property !== undefined) return plain(element[source.property]);
  return textOf(element);
};

/** What a kept element says. */
const takeFrom = (number, source) => {
  const element = kept.get(number);
  return element?.isConnected ? { value: take(element, source) } : { gone: true };
};

/** What every element says that the first chain finds that finds any. */
const takeAll = (chains, source) => {
  const tries = [];
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
    if (found.length) return { served: index, values: found.map(e => take(e, source)), tries };
  }
  return { served: null, values: [], tries };
};

/** Whether what is there is what is wanted, field by field. */
const same = (have, want) => {
  if (want !== null && typeof want === 'object') {
    if (have === null || typeof have !== 'object') return false;
    return Object.keys(want).every(key => same(have[key], want[key]));
  }
  return have === want;
};

/** What an awaited element's count, attributes and properties are. */
const look = (chains, want) => {
  const tries = [];
  let served = null;
  let found = [];
  for (const [index, chain] of chains.entries()) {
    const tried = { matched: 0 };
    tries.push(tried);
    if (found.length) continue;
    try {
      found = query(chain);
    } catch (error) {
      tried.why = 'bad';
      tried.detail = cut(squeeze(error.message), 200);
      continue;
    }
    tried.matched = found.length;
    if (found.length) served = index;
  }
  let differs = null;
  for (const element of found) {
    for (const [name, value] of Object.entries(want.attributes)) {
      const have = element.getAttribute(name);
      if (have !== value) differs ??= `its attribute ${name} is ${have === null ? 'absent' : `“${cut(have, 60)}”`}`;
    }
    for (const [name, value] of Object.entries(want.properties)) {
      if (!same(element[name], value)) differs ??= `its property ${name} is ${cut(JSON.stringify(plain(element[name])), 60)}`;
    }
  }
  return { served, tries, all: found.length, visible: found.filter(visible).length, differs };
};

/** Whether a text holds by a rule; the text as it is. */
const check = (number, rule) => {
  const element = kept.get(number);
  if (!element?.isConnected) return { gone: true };
  const found = textOf(element);
  let holds;
  if (rule.contains !== undefined) holds = squeeze(found).includes(squeeze(rule.contains));
  else if (rule.equals !== undefined) holds = squeeze(found) === squeeze(rule.equals);
  else {
    try {
      holds = new RegExp(rule.matches).test(found);
    } catch (error) {
      return { bad: cut(squeeze(error.message), 200) };
    }
  }
  return { holds, found: cut(squeeze(found), 200) };
};

/** Scrolls the page, or a kept element. */
const scroll = (number, x, y) => {
  const target = number === null ? window : kept.get(number);
  if (number !== null && !target?.isConnected) return { gone: true };
  target.scrollTo({ left: x, top: y, behavior: 'instant' });
  return {};
};

/** The box of a kept element on the whole page. */
const boxOf = number => {
  const element = kept.get(number);
  if (!element?.isConnected) return { gone: true };
  const r = element.getBoundingClientRect();
  return { x: r.left + scrollX, y: r.top + scrollY, width: r.width, height: r.height };
};
