// Describes elements and pages: what a person would recognise an element by, where it stands, what
// the page shows. The recorder (capture.js) and the executor (locate.js) share this script, so that an
// element is described by the same code when it is recorded and when it is looked for.
(() => {
if (window.__odokit) return;
const KEPT = ('id name type href value role title alt placeholder for aria-label aria-checked aria-expanded ' +
  'aria-haspopup data-testid contenteditable').split(' ');
const IMPLICIT = {a: 'link', button: 'button', select: 'combobox', textarea: 'textbox', nav: 'navigation',
  main: 'main', section: 'region', aside: 'complementary', dialog: 'dialog', form: 'form', table: 'table', tr: 'row',
  td: 'cell', th: 'columnheader', ul: 'list', ol: 'list', li: 'listitem', option: 'option',
  summary: 'button', img: 'img', fieldset: 'group', h1: 'heading', h2: 'heading', h3: 'heading',
  h4: 'heading', header: 'banner', footer: 'contentinfo'};
const INPUTS = {checkbox: 'checkbox', radio: 'radio', button: 'button', submit: 'button', reset: 'button',
  image: 'button', range: 'slider', number: 'spinbutton', search: 'searchbox', file: 'file',
  hidden: '', password: 'textbox'};
const INTERACTIVE = [...'a[href] button input select textarea summary option label [onclick]'.split(' '),
  ...('button link menuitem menuitemradio menuitemcheckbox option tab checkbox radio switch treeitem ' +
  'combobox').split(' ').map(r => `[role=${r}]`)].join(',');
const REGIONS = new Set(('main navigation complementary dialog alertdialog form region group radiogroup menu listbox tabpanel ' +
  'toolbar tablist banner contentinfo search').split(' '));
const DROPPED = new Set('SCRIPT STYLE NOSCRIPT TEMPLATE LINK META'.split(' '));
const VOID = new Set('AREA BASE BR COL EMBED HR IMG INPUT SOURCE TRACK WBR'.split(' '));
const SECRET = /passw|passcode|\bpin\b|secret|token|csrf|nonce|cvc|cvv|card.?number/i;

const fold = (s, n = 200) => (s || '').replace(/\s+/g, ' ').trim().slice(0, n);
const attr = (el, name) => (el.getAttribute && el.getAttribute(name)) || '';
const target = e => { const n = e.composedPath()[0]; return n && n.nodeType === 1 ? n : null; };
const slug = s => s.toLowerCase().replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '') || 'value';

function xpath(el) {
  const parts = [];
  for (let n = el; n && n.nodeType === 1; n = n.parentElement) {
    const tag = n.localName;
    let before = 0, after = false;
    for (let s = n.previousElementSibling; s; s = s.previousElementSibling) if (s.localName === tag) before++;
    for (let s = n.nextElementSibling; s && !after; s = s.nextElementSibling) after = s.localName === tag;
    parts.unshift(before || after ? `${tag}[${before + 1}]` : tag);
  }
  return '/' + parts.join('/');
}

function role(el) {
  const own = attr(el, 'role').split(' ')[0];
  if (own) return own;
  if (el.localName === 'input') return INPUTS[el.type] ?? 'textbox';
  if (el.localName === 'a') return el.hasAttribute('href') ? 'link' : '';
  if (el.isContentEditable && attr(el, 'contenteditable') !== '') return 'textbox';
  return IMPLICIT[el.localName] || '';
}

const byIds = (el, ids) => fold(ids.split(/\s+/).map(i => {
  const other = el.getRootNode().getElementById?.(i);
  return other ? other.textContent : '';
}).join(' '));

function visibleText(el) {
  const text = fold(el.innerText ?? el.textContent), written = fold(el.textContent);
  // A style sheet may draw text in capitals; what was written is the steadier name.
  if (text && text.toLowerCase() === written.toLowerCase()) return written;
  if (text) return text;
  const labelled = el.querySelector?.('[aria-label],[alt],[title]');
  return labelled ? fold(attr(labelled, 'aria-label') || attr(labelled, 'alt') || attr(labelled, 'title')) : '';
}

// What a label says beside the control it may hold: an option or a typed text is no name.
function labelText(label) {
  const inner = 'select,textarea,[contenteditable]';
  if (!label.querySelector(inner)) return visibleText(label);
  const copy = label.cloneNode(true);
  copy.querySelectorAll(inner).forEach(n => n.remove());
  return fold(copy.textContent);
}

// What a drawn combobox shows is its value; it is called what the control it stands for is called.
function besideLabel(el) {
  for (let n = el.parentElement, i = 0; n && i < 3; n = n.parentElement, i++) {
    const label = [...n.querySelectorAll('select,input')].flatMap(c => [...(c.labels || [])])[0] || n.querySelector('label');
    if (label) return labelText(label);
  }
  return '';
}

function name(el) {
  if (attr(el, 'role') === 'combobox' && !('value' in el)) return fold(attr(el, 'aria-label')) || besideLabel(el);
  const ref = attr(el, 'aria-labelledby');
  if (ref && byIds(el, ref)) return byIds(el, ref);
  if (attr(el, 'aria-label')) return fold(attr(el, 'aria-label'));
  const field = /^(input|select|textarea)$/.test(el.localName) || el.isContentEditable;
  if (el.localName === 'input' && /^(submit|button|reset)$/.test(el.type)) return fold(el.value) || attr(el, 'title');
  if (field) {
    const labels = [...(el.labels || [])].map(labelText).filter(Boolean);
    return fold(labels.join(' ') || attr(el, 'title') || attr(el, 'placeholder'));
  }
  return visibleText(el) || fold(attr(el, 'alt') || attr(el, 'title'));
}

function regionName(el, kind) {
  const own = byIds(el, attr(el, 'aria-labelledby')) || fold(attr(el, 'aria-label'));
  if (own) return own;
  if (el.localName === 'fieldset') return fold(el.querySelector('legend')?.textContent, 80);
  if (/dialog/.test(kind)) return fold(el.querySelector('h1,h2,h3,[role=heading]')?.textContent, 80);
  return '';
}

const up = el => el.parentElement || el.getRootNode()?.host || null;

function landmarks(el) {
  const found = [];
  for (let n = up(el); n; n = up(n)) {
    const kind = role(n);
    if (!REGIONS.has(kind)) continue;
    const label = regionName(n, kind);
    // An unnamed form, group or region is no landmark: redesigns add and drop them freely.
    if (label || !/^(form|group|region)$/.test(kind)) found.unshift(`${kind}:${label}`);
  }
  return found;
}

function framePath(el) {
  const path = [];
  for (let w = el.ownerDocument.defaultView; w !== w.parent; w = w.parent) {
    let host = null;
    try { host = w.frameElement; } catch { /* cross-origin parent */ }
    path.unshift(host ? xpath(host) : '?');
    if (!host) break;
  }
  return path;
}

function shadowPath(el) {
  const path = [];
  for (let r = el.getRootNode(); r && r.host; r = r.host.getRootNode()) path.unshift(xpath(r.host));
  return path;
}

// A password stays one when the page shows it in clear.
const masked = new WeakSet();
function isSecret(el) {
  if (el.localName !== 'input') return false;
  if (el.type === 'password') masked.add(el);
  return masked.has(el) || SECRET.test([el.name, el.id, attr(el, 'autocomplete')].join(' ')) ||
    (isText(el) && /passw|passcode|passphrase/i.test(name(el)));
}

// FNV-1a over UTF-16 units: lets the recorder know a typed secret again without being told it.
function digest(text) {
  let h = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193) >>> 0;
  return {length: text.length, hash: h};
}

function keptAttributes(el) {
  const kept = {};
  for (const key of KEPT) {
    const value = attr(el, key);
    if (value && !(key === 'value' && (isSecret(el) || isText(el)))) kept[key] = value.slice(0, 300);
  }
  return kept;
}

function describe(el) {
  return {tag: el.localName, xpath: xpath(el), role: role(el), name: name(el), text: fold(visibleText(el)),
    attributes: keptAttributes(el), landmarks: landmarks(el), frame: framePath(el), shadow: shadowPath(el),
    html: serialize(el, 2000)};
}

// --- snapshots
const escape = (s, quote) => {
  s = s.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
  return quote ? s.replace(/"/g, '&quot;') : s;
};

function openTag(el) {
  let out = '<' + el.localName;
  const secret = isSecret(el);
  for (const {name: key, value} of el.attributes) {
    if (key === 'style' || key === 'd' || key.startsWith('data-v-') || /^on/.test(key)) continue;
    const hide = key === 'value' && secret;
    out += ` ${key}="${hide ? '' : escape(value.startsWith('data:') ? 'data:' : value, true)}"`;
  }
  return out + '>';
}

function serialize(root, limit = Infinity) {
  const out = [];
  let size = 0;
  const put = s => { out.push(s); size += s.length; };
  (function walk(node) {
    if (size > limit) return;
    if (node.nodeType === 3) return put(escape(node.data));
    if (node.nodeType !== 1 || DROPPED.has(node.tagName)) return;
    put(openTag(node));
    if (VOID.has(node.tagName)) return;
    if (node.shadowRoot) {
      put('<odo-shadow>');
      node.shadowRoot.childNodes.forEach(walk);
      put('</odo-shadow>');
    }
    node.childNodes.forEach(walk);
    put(`</${node.localName}>`);
  })(root);
  return out.join('').slice(0, limit === Infinity ? undefined : limit);
}

let lastSnapshot = null;
function snapshot() {
  const top = (() => { try { return window.top.document; } catch { return document; } })();
  const html = serialize(top.documentElement);
  if (html === lastSnapshot) return {same: true};
  lastSnapshot = html;
  return {html};
}

const topUrl = () => { try { return window.top.location.href; } catch { return location.href; } };
const forget = () => { lastSnapshot = null; };

// --- kinds of controls
const isText = el => el.localName === 'textarea' || el.isContentEditable || (el.localName === 'input' &&
  !/^(checkbox|radio|button|submit|reset|image|file|hidden|color)$/.test(el.type));
const isToggle = el => (el.localName === 'input' && /^(checkbox|radio)$/.test(el.type)) ||
  /^(checkbox|radio|switch|menuitemcheckbox|menuitemradio)$/.test(attr(el, 'role'));
const isRadio = el => el.type === 'radio' || /radio$/.test(attr(el, 'role'));
const state = el => el.localName === 'input' ? el.checked : attr(el, 'aria-checked') === 'true';

function interactive(path) {
  const nodes = path.filter(n => n.nodeType === 1);
  const hit = nodes.find(n => n.matches(INTERACTIVE));
  if (hit) return hit;
  const pointer = n => n && getComputedStyle(n).cursor === 'pointer';
  let el = nodes[0];
  if (pointer(el)) {
    while (pointer(el.parentElement)) el = el.parentElement;
    return el;
  }
  return el.closest('li,td,tr,[tabindex]') || el;
}

function radioGroup(el) {
  const root = el.form || el.getRootNode();
  const same = el.name ? [...root.querySelectorAll('input[type=radio]')].filter(r => r.name === el.name) : [];
  if (same.length > 1) return {group: el.name, radios: same};
  const all = 'input[type=radio],[role=radio],[role=menuitemradio]';
  let n = el.parentElement;
  while (n && n.querySelectorAll(all).length < 2) n = n.parentElement;
  const radios = n ? [...n.querySelectorAll(all)] : [el];
  return {group: (n && regionName(n, role(n))) || el.name || '', radios};
}


window.__odokit = {DROPPED, INTERACTIVE, attr, describe, digest, fold, forget, interactive, isRadio, isSecret, isText, isToggle, landmarks,
  name, radioGroup, regionName, role, serialize, slug, snapshot, state, target, topUrl, up, xpath, snapshots: true};
})();
