// Fields: what kind they are, setting those that are not typed into, and reading them back.

const TYPED = new Set(['text', 'email', 'password', 'search', 'tel', 'url', 'number']);
const SET = new Set(['date', 'datetime-local', 'month', 'week', 'time', 'color', 'range']);

const isText = element => element instanceof HTMLTextAreaElement ||
  (element instanceof HTMLInputElement && TYPED.has(element.type));

/** The field that an element stands for: a label's control, or the only field inside it. */
const fieldOf = element => {
  if (element.localName === 'label' && element.control) return element.control;
  if (element.matches('input,textarea,select') || element.isContentEditable) return element;
  const inner = [...every(element.shadowRoot ?? element)].filter(e => e.matches('input:not([type=hidden]),textarea,select'));
  return inner.length === 1 ? inner[0] : element;
};

const announce = (element, ...events) => {
  for (const name of events) element.dispatchEvent(new Event(name, { bubbles: true, composed: name === 'input' }));
};

/** What a field holds. */
const valueOf = element => {
  if (element instanceof HTMLInputElement && ['checkbox', 'radio'].includes(element.type)) return String(element.checked);
  if (element.isContentEditable) return element.innerText.replace(/\n$/, '');
  return String(element.value ?? '');
};

const wantsChecked = (element, value) =>
  value === element.value || ['true', 'on', '1', 'yes', 'checked'].includes(value.trim().toLowerCase());

const choose = (select, value) => {
  const options = [...select.options];
  const option = options.find(o => o.value === value) ?? options.find(o => squeeze(o.text) === squeeze(value));
  if (!option) return { fault: 'no_option' };
  if (option.disabled || option.parentElement?.disabled) return { fault: 'no_option' };
  select.focus();
  for (const other of options) other.selected = other === option;
  announce(select, 'input', 'change');
  return { holds: select.value, wanted: option.value };
};

/**
 * Begins to set a field. Answers `{typed: true}` where keys must follow (the old content is selected then),
 * else what the field holds now, or why it takes nothing.
 */
const beginField = (number, value) => {
  const found = kept.get(number);
  if (!found?.isConnected) return { fault: 'gone' };
  const element = fieldOf(found);
  kept.set(number, element);
  if (element.localName !== 'select' && element.readOnly) return { fault: 'not_editable', what: 'read-only' };
  if (element.matches(':disabled')) return { fault: 'disabled' };
  if (element instanceof HTMLSelectElement) return choose(element, value);
  if (element instanceof HTMLInputElement && ['checkbox', 'radio'].includes(element.type)) {
    const wanted = wantsChecked(element, value);
    if (element.checked !== wanted) element.click();
    return { holds: String(element.checked), wanted: String(wanted) };
  }
  if (element instanceof HTMLInputElement && SET.has(element.type)) {
    element.focus();
    element.value = value;
    announce(element, 'input', 'change');
    return { holds: element.value, wanted: value };
  }
  if (isText(element)) {
    element.focus();
    element.select();
    return { typed: true, empty: element.value === '' };
  }
  if (element.isContentEditable) {
    element.focus();
    const range = document.createRange();
    range.selectNodeContents(element);
    const selection = getSelection();
    selection.removeAllRanges();
    selection.addRange(range);
    return { typed: true, empty: element.innerText.trim() === '' };
  }
  const what = element instanceof HTMLInputElement ? `an input of type ${element.type}` : `a <${element.localName}>`;
  return { fault: 'not_editable', what };
};

/** What a field holds now that it was typed into. It tells of the change itself when the focus leaves it. */
const endField = number => {
  const element = kept.get(number);
  return element?.isConnected ? { holds: valueOf(element) } : { fault: 'gone' };
};

/** What fields hold that were filled before, by their chains; null for one that is not there alone. */
const readFields = fields => fields.map(chains => {
  for (const chain of chains) {
    try {
      const found = query(chain);
      if (!found.length) continue;
      const { element } = single(chain, found, false);
      if (element) return valueOf(fieldOf(element));
    } catch { /* another chain may serve */ }
  }
  return null;
});
