(() => {
  'use strict';
  // Runs in an isolated world of each frame: serialises its document without anything that could run or call
  // out, and hides what must not be in a picture.

  const MASK = '•••';
  const MOST_TEXT = 4_000_000;
  const MOST_NODES = 60_000;
  const MOST_STYLE = 400_000;
  const MOST_IMAGE = 20_000;

  // Elements that run, load, or change how the rest is read.
  const LEFT_OUT = new Set([
    'script', 'noscript', 'link', 'meta', 'base', 'object', 'embed', 'applet', 'portal', 'fencedframe', 'style',
    'template', 'source', 'track', 'param', 'animate', 'animatetransform', 'animatemotion', 'set', 'title',
    'mpath', 'discard', 'handler', 'listener',
  ]);
  // Elements whose content is read as plain text: their names would hide markup from a reader of the snapshot.
  const RAW = new Set(['xmp', 'plaintext', 'noembed', 'noframes', 'listing']);
  const REPLACED = new Set(['video', 'audio', 'canvas']);
  const EMPTY = new Set(['area', 'br', 'col', 'hr', 'img', 'input', 'wbr']);
  // Attributes that are known to do nothing but describe, shape or mark.
  const KEPT = new Set([
    'id', 'class', 'name', 'type', 'role', 'title', 'alt', 'lang', 'dir', 'width', 'height', 'colspan', 'rowspan',
    'for', 'placeholder', 'disabled', 'readonly', 'required', 'multiple', 'size', 'rows', 'cols', 'wrap', 'label',
    'scope', 'span', 'start', 'reversed', 'open', 'hidden', 'min', 'max', 'step', 'maxlength', 'low', 'high',
    'optimum', 'datetime', 'align', 'valign', 'bgcolor', 'color', 'face', 'border', 'cellpadding', 'cellspacing',
    'abbr', 'headers', 'itemprop', 'slot', 'part', 'tabindex', 'draggable', 'method', 'value', 'viewbox', 'd', 'x',
    'y', 'x1', 'x2', 'y1', 'y2', 'cx', 'cy', 'r', 'rx', 'ry', 'points', 'fill', 'stroke', 'stroke-width',
    'fill-rule', 'clip-rule', 'opacity', 'transform', 'preserveaspectratio', 'text-anchor', 'font-size',
    'font-family', 'font-weight', 'offset', 'stop-color', 'dx', 'dy', 'stroke-linecap', 'stroke-linejoin',
    'stroke-dasharray', 'fill-opacity', 'stroke-opacity', 'gradientunits', 'gradienttransform', 'xmlns',
  ]);
  // Addresses: told, but as data.
  const TOLD = new Set(['href', 'src', 'action', 'formaction', 'xlink:href']);

  const escape = text => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;')
    .replace(/"/g, '&quot;').replace(/\u0000/g, '');

  /** Style without anything that loads. */
  const inertStyle = css => css
    .replace(/\\/g, '\uFFFD')
    .replace(/@import\b[^;]*;?/gi, '')
    .replace(/@(namespace|charset)\b[^;]*;?/gi, '')
    .replace(/(?:url|src|image-set|-webkit-image-set|image|cross-fade|element|paint)\s*\(\s*(?!\s*["']?data:image\/(?:png|jpeg|gif|webp)[;,])[^)]*\)/gi, 'none')
    .replace(/expression\s*\(|-moz-binding|behavior\s*:/gi, 'none')
    .replace(/<\//g, '<\uFFFD/')
    .replace(/<!--|-->/g, '');

  const isSecretField = element => element instanceof HTMLInputElement &&
    (element.type === 'password' || element.type === 'hidden' ||
      /password|passwd|one-time-code|cc-number|cc-csc/.test(element.autocomplete ?? ''));

  const state = { text: 0, nodes: 0, style: 0, cut: false };

  const attribute = (element, name, value) => {
    const key = name.toLowerCase();
    if (/^(aria|data)-[\w.-]+$/.test(key)) return ` ${key}="${escape(value)}"`;
    if (key === 'style') return ` style="${escape(inertStyle(value))}"`;
    if (TOLD.has(key)) return ` data-told-${key.replace(':', '-')}="${escape(value.slice(0, 2_000))}"`;
    if (!KEPT.has(key) || key.startsWith('on')) return '';
    if (/url\s*\(|javascript:|data:|:\/\//i.test(value) && key !== 'title' && key !== 'alt' && key !== 'value' &&
      key !== 'placeholder' && key !== 'xmlns') return '';
    return ` ${name}="${escape(value)}"`;
  };

  const valueOf = element => {
    if (element.type === 'file') return '';
    return isSecretField(element) ? (element.value ? MASK : '') : element.value;
  };

  const attributes = element => {
    let out = '';
    const field = element instanceof HTMLInputElement;
    for (const { name, value } of [...element.attributes].slice(0, 200)) {
      const key = name.toLowerCase();
      if ((field && (key === 'value' || key === 'checked')) || key === 'selected') continue;
      if (field && key === 'type' && value.toLowerCase() === 'image') { out += ' type="button"'; continue; }
      out += attribute(element, name, value.slice(0, 10_000));
    }
    if (field) {
      out += ` value="${escape(valueOf(element))}"`;
      if (element.checked) out += ' checked=""';
    }
    if (element instanceof HTMLOptionElement && element.selected) out += ' selected=""';
    if (element instanceof HTMLImageElement) out += picture(element);
    return out;
  };

  const picture = image => {
    const source = image.currentSrc || image.src;
    const small = /^data:image\/(png|jpeg|gif|webp);base64,[A-Za-z0-9+/=]*$/.test(source) && source.length < MOST_IMAGE;
    const box = image.getBoundingClientRect();
    const size = ` width="${Math.round(box.width)}" height="${Math.round(box.height)}"`;
    return small ? ` src="${source}"${size}` : `${size} data-picture="left out"`;
  };

  const sheets = (list, adopted) => {
    let css = '';
    for (const sheet of [...list, ...(adopted ?? [])]) {
      if (sheet.disabled || state.style > MOST_STYLE) continue;
      let rules;
      try {
        rules = sheet.cssRules;
      } catch {
        css += '/* a stylesheet of another site is left out */\n';
        continue;
      }
      let text = '';
      for (const rule of rules) {
        if (rule instanceof CSSImportRule || rule instanceof CSSFontFaceRule) continue;
        text += rule.cssText + '\n';
        if (state.style + text.length > MOST_STYLE) break;
      }
      const media = sheet.media?.mediaText;
      state.style += text.length;
      css += media && media !== 'all' ? `@media ${media} {\n${text}}\n` : text;
    }
    return css ? `<style>${inertStyle(css)}</style>` : '';
  };

  const placeholder = (element, words) => {
    const box = element.getBoundingClientRect();
    return `<div data-left-out="${escape(element.localName)}" style="display:inline-block;overflow:auto;` +
      `background:#eee;border:1px dashed #888;width:${Math.round(box.width)}px;height:${Math.round(box.height)}px">` +
      `${escape(words)}</div>`;
  };

  const frame = element => {
    let inner = null;
    try {
      inner = element.contentDocument;
    } catch { /* of another site */ }
    const address = escape((inner?.URL ?? element.src ?? '').slice(0, 2_000));
    const box = element.getBoundingClientRect();
    const open = `<div data-frame="${address}" style="display:inline-block;overflow:auto;border:1px solid #888;` +
      `width:${Math.round(box.width)}px;height:${Math.round(box.height)}px">`;
    if (!inner?.documentElement) return `${open}a frame of another site</div>`;
    return `${open}<template shadowrootmode="open">${sheets(inner.styleSheets, inner.adoptedStyleSheets)}` +
      `${children(inner.body ?? inner.documentElement)}</template></div>`;
  };

  const children = node => {
    let out = '';
    for (const child of node.childNodes) out += one(child);
    return out;
  };

  const one = node => {
    if (state.cut) return '';
    if (++state.nodes > MOST_NODES || state.text > MOST_TEXT) {
      state.cut = true;
      return '<p data-left-out="rest">The rest of the page is left out: it is too large.</p>';
    }
    if (node.nodeType === Node.TEXT_NODE) {
      const text = escape(node.data);
      state.text += text.length;
      return text;
    }
    return node.nodeType === Node.ELEMENT_NODE ? element(node) : '';
  };

  const element = node => {
    const name = node.localName;
    if (LEFT_OUT.has(name.toLowerCase())) return '';
    if (name === 'iframe' || name === 'frame') return frame(node);
    if (REPLACED.has(name)) return placeholder(node, name);
    if (!/^[a-zA-Z][a-zA-Z0-9-]*$/.test(name)) return children(node);
    const tag = RAW.has(name) ? 'pre' : name === 'frameset' ? 'div' : name;
    const start = `<${tag}${attributes(node)}>`;
    state.text += start.length;
    if (EMPTY.has(tag)) return start;
    if (name === 'textarea') return `${start}\n${escape(node.value)}</textarea>`;
    const root = node.shadowRoot;
    const shadow = root
      ? `<template shadowrootmode="open">${sheets(root.styleSheets, root.adoptedStyleSheets)}${children(root)}</template>`
      : '';
    return `${start}${shadow}${children(node)}</${tag}>`;
  };

  const attributesOfRoot = node => (node ? attributes(node) : '');

  /** The document as inert HTML. */
  const snapshot = () => {
    Object.assign(state, { text: 0, nodes: 0, style: 0, cut: false });
    const root = document.documentElement;
    const body = document.body ?? root;
    const policy = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; font-src data:; form-action 'none'";
    return `<!DOCTYPE html><html${attributesOfRoot(root)}><head><meta charset="utf-8">` +
      `<meta http-equiv="Content-Security-Policy" content="${policy}">` +
      `<title>${escape(document.title.slice(0, 1_000))}</title>` +
      `${sheets(document.styleSheets, document.adoptedStyleSheets)}</head>` +
      `<body${attributesOfRoot(document.body)} data-address="${escape(document.URL.slice(0, 2_000))}">` +
      `${root ? children(body) : ''}</body></html>`;
  };

  let hidden = [];

  function* everywhere(root) {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      yield walker.currentNode;
      if (walker.currentNode.shadowRoot) yield* everywhere(walker.currentNode.shadowRoot);
    }
  }

  const blank = element => {
    const before = element.getAttribute('style');
    for (const [name, value] of [['color', 'transparent'], ['-webkit-text-fill-color', 'transparent'],
      ['text-shadow', 'none'], ['background', '#bbb']]) element.style.setProperty(name, value, 'important');
    hidden.push(() => (before === null ? element.removeAttribute('style') : element.setAttribute('style', before)));
  };

  /** Hides password fields, and everything that shows a secret, from a picture. */
  const hide = secrets => {
    const shows = text => secrets.some(secret => text.includes(secret));
    for (const node of everywhere(document)) {
      if (node.nodeType === Node.TEXT_NODE) {
        if (!shows(node.data)) continue;
        const before = node.data;
        node.data = secrets.reduce((text, secret) => text.replaceAll(secret, MASK), before);
        hidden.push(() => { node.data = before; });
      } else if (isSecretField(node) || ((node instanceof HTMLInputElement || node instanceof HTMLTextAreaElement) &&
        shows(node.value))) blank(node);
    }
  };

  /** Shows again what was hidden. */
  const reveal = () => {
    for (const undo of hidden.reverse()) undo();
    hidden = [];
  };

  globalThis.evidence = { snapshot, hide, reveal };
})()
