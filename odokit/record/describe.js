// Describes elements and pages. Recorder (capture.js) and executor (locate.js) share this script: an
// element is described by the same code when it is recorded and when it is looked for.
(() => {
const given = window.__odokit_rules;
delete window.__odokit_rules;
if (window.__odokit) return given && window.__odokit.setRules(given);
const KEPT = ('id name type href value role title alt placeholder for aria-label aria-checked aria-expanded aria-haspopup data-testid contenteditable').split(' ');
const IMPLICIT = {a: 'link', button: 'button', select: 'combobox', textarea: 'textbox', nav: 'navigation',
  main: 'main', section: 'region', aside: 'complementary', dialog: 'dialog', form: 'form', table: 'table', tr: 'row',
  td: 'cell', th: 'columnheader', ul: 'list', ol: 'list', li: 'listitem', option: 'option',
  summary: 'button', img: 'img', fieldset: 'group', h1: 'heading', h2: 'heading', h3: 'heading',
  h4: 'heading', header: 'banner', footer: 'contentinfo'};
const INPUTS = {checkbox: 'checkbox', radio: 'radio', button: 'button', submit: 'button', reset: 'button',
  image: 'button', range: 'slider', number: 'spinbutton', search: 'searchbox', file: 'file', hidden: ''};
const INTERACTIVE = [...'a[href] button input select textarea summary option label [onclick]'.split(' '),
  ...('button link menuitem menuitemradio menuitemcheckbox option tab checkbox radio switch treeitem combobox').split(' ').map(r => `[role=${r}]`)].join(',');
const REGIONS = new Set(('main navigation complementary dialog alertdialog form region group radiogroup menu listbox tabpanel toolbar tablist banner contentinfo search').split(' '));
const DROPPED = new Set('SCRIPT STYLE NOSCRIPT TEMPLATE LINK META'.split(' '));
const VOID = new Set('AREA BASE BR COL EMBED HR IMG INPUT SOURCE TRACK WBR'.split(' '));

// Half a secret could not be told: it goes before the text is cut.
const fold = (s, n = 200) => scrub((s || '').replace(/\s+/g, ' ').trim().slice(0, n + 1000)).slice(0, n);
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
  if (/^(body|html)$/.test(el.localName)) return ''; // its text is the whole page's
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

// The named regions around an element, outermost first; `seen` has those of places looked at before.
function landmarks(el, seen = new Map()) {
  const n = up(el);
  if (!n) return [];
  if (!seen.has(n)) {
    const kind = role(n), label = REGIONS.has(kind) && regionName(n, kind), outer = landmarks(n, seen);
    // An unnamed form, group or region is no landmark: redesigns add and drop them freely.
    seen.set(n, label || (label === '' && !/^(form|group|region)$/.test(kind)) ? [...outer, `${kind}:${label}`] : outer);
  }
  return seen.get(n);
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

// --- secrets
// The rules come as data (redact.py).
let KEY, MAYBE, KNOWN, rules, known;
function setRules({key = '(?!)', maybe = '(?!)', rules: patterns = [], known: forms = []} = {}) {
  KEY = new RegExp(key, 'i');
  MAYBE = new RegExp(maybe);
  rules = patterns.map(([kind, pattern]) => [kind, new RegExp(pattern, 'gi')]);
  known = new Map(forms);
  knowForms();
  strings = new WeakMap();
}

function knowForms() {
  const forms = [...known.keys()].sort((a, b) => b.length - a.length);
  // Placeholders are passed over whole.
  KNOWN = forms.length && new RegExp(['\\{\\{secret:[^}]+\\}\\}',
    ...forms.map(s => s.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'))].join('|'), 'g');
}

// The check digit of a card's number (Luhn).
const isCard = s => [...s.replace(/\D/g, '')].reverse().reduce((sum, d, i) => sum + +(i % 2 ? '0246813579'[d] : d), 0) % 10 === 0;

// A text without its secrets: known values in each spelling, and what looks like one.
function scrub(s) {
  if (KNOWN) s = s.replace(KNOWN, all => known.get(all) || all);
  if (!MAYBE.test(s)) return s;
  for (const [kind, pattern] of rules) {
    s = s.replace(pattern, (all, kept) => kind === 'card' && !isCard(all) ? all : `${kept}{{secret:${kind}}}`);
  }
  return s;
}

const isMark = s => /^\{\{secret:[^}]+\}\}$/.test(s);
// Any JSON value without its secrets, by key and by text.
function redact(value, key = '') {
  if (Array.isArray(value)) return value.map(v => redact(v, key));
  if (value && typeof value === 'object') {
    return Object.fromEntries(Object.entries(value).map(([k, v]) => [scrub(k), redact(v, k)]));
  }
  if (!/string|number/.test(typeof value) || value === '') return value;
  if (KEY.test(key) && !isMark(value)) return `{{secret:${scrub(key) === key ? key : 'known'}}}`;
  const clean = scrub(`${value}`);
  return value.length || isMark(clean) ? clean : value;
}

// A password stays one when the page shows it in clear.
const masked = new WeakSet();
function isSecret(el) {
  if (!/^(input|textarea)$/.test(el.localName)) return false;
  if (el.type === 'password') masked.add(el);
  return masked.has(el) || KEY.test([el.name, el.id, attr(el, 'autocomplete')].join(' ')) || (isText(el) && KEY.test(name(el)));
}

// What a field holds, or a placeholder; the page may show a secret elsewhere.
const typedIn = new WeakMap();
function typed(el) {
  stale(el); // what was typed so far may be half a secret: its attribute is left out
  if (!isSecret(el)) return typedIn.set(el, {value: '', forms: []}) && el.value;
  const mark = `{{secret:${slug(name(el))}}}`, before = typedIn.get(el), {value} = el;
  const isShown = before && document.documentElement.textContent.includes(before.value);
  if (!isShown && value.startsWith(before?.value)) before.forms.forEach(f => known.delete(f));
  const encoded = String(new URLSearchParams([['', value]])).slice(1);
  const forms = value.length < 4 ? [] : [value, JSON.stringify(value).slice(1, -1), encoded, encoded.replace(/\+/g, '%20')]
    .filter(f => !known.has(f));
  typedIn.set(el, {value, forms});
  forms.forEach(f => known.set(f, mark));
  knowForms();
  if (forms.some(f => last.includes(f) || last.includes(escape(f)))) strings = new WeakMap();
  return mark;
}

// By this hash (it rolls) the recorder knows a typed secret again in what is sent.
function digest(text) {
  let h = 0;
  for (let i = 0; i < text.length; i++) h = (h * 65599 + text.charCodeAt(i)) % 0x7fffffff;
  return {length: text.length, hash: h};
}

function keptAttributes(el) {
  const kept = {};
  for (const key of KEPT) {
    const value = attr(el, key);
    if (value && !(key === 'value' && (isSecret(el) || isText(el)))) kept[key] = scrub(value).slice(0, 300);
  }
  return kept;
}

// The text nearest to an element: of the smallest part around it that says more than itself; when
// others are called the same, of the largest part that holds none of them.
function near(el, twins) {
  const own = fold(el.textContent) || name(el);
  let box = el;
  for (let n = up(el), i = 0; n && i < 8 && !twins.some(t => n.contains(t)); n = up(n), i++) {
    box = n;
    if (!twins.length && fold(n.textContent).length > own.length) break;
  }
  return fold(fold(box.textContent, 400).replace(own, ' '), 160);
}

// Who could be taken for an element: how many share its role, tag and name (and regions), and what
// the others of its role are called; so is a control drawn for another, by its own name.
function peers(el) {
  const seen = new Map(), kind = role(el), own = name(el), regions = landmarks(el, seen).join('\n'), text = el.textContent;
  const tags = Object.keys(IMPLICIT).filter(tag => IMPLICIT[tag] === kind);
  const alike = kind ? [`[role^=${CSS.escape(kind)}]`, 'input,[contenteditable]', el.localName, ...tags].join() : el.localName;
  const twins = [], names = new Set();
  let kin = 0;
  for (const n of el.getRootNode().querySelectorAll(alike)) {
    if (n.contains(el) || el.contains(n) || role(n) !== kind || !n.checkVisibility()) continue;
    // A plain one is told by its text, and many names say no more.
    if ((!kind || (names.size > 149 && text)) && (n.textContent.length > 2 * text.length + 99 || fold(n.textContent) !== fold(text))) continue;
    const called = nameNow(n);
    if (called !== own || n.localName !== el.localName) { names.add(called.slice(0, 60)); continue; }
    twins.push(n);
    if (landmarks(n, seen).join('\n') === regions) kin++;
  }
  return {twins: twins.length, kin, names: [...names], near: near(el, twins)};
}

// To name an element is dear; what is named by its content is called the same while that is the same.
const named = new WeakMap();
function nameNow(el) {
  const html = strings.get(el), known = named.get(el);
  if (!html || /^(input|select|textarea)$/.test(el.localName) || attr(el, 'aria-labelledby')) return name(el);
  if (known?.html === html) return known.called;
  const called = name(el);
  named.set(el, {html, called});
  return called;
}

function describe(el) {
  catchUp();
  return {tag: el.localName, xpath: xpath(el), role: role(el), name: name(el), text: fold(visibleText(el)),
    attributes: keptAttributes(el), landmarks: landmarks(el), frame: framePath(el), shadow: shadowPath(el),
    html: serialize(el).slice(0, 2000), peers: peers(el)};
}

// --- snapshots
const escape = s => s.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;');

// What a snapshot leaves out: it changes all the time.
const isLeftOut = key => /^(style|d|on.*|data-v-.*)$/.test(key);

function openTag(el, secret) {
  let out = '<' + el.localName;
  for (const {name: key, value} of el.attributes) {
    if (isLeftOut(key)) continue;
    const hidden = key === 'value' && (secret || typedIn.has(el)) ? '' : KEY.test(key) && /\d/.test(value) && value.length > 5 ? '{{secret:token}}' : null;
    out += ` ${key}="${escape(hidden ?? scrub(value.startsWith('data:') ? 'data:' : value))}"`;
  }
  return out + '>';
}

// What each element was serialised to, until something in it changes. What has no entry is in nothing
// that has one.
let strings = new WeakMap();
// Fields that show a value, and whether it was hidden: a label elsewhere may decide.
const fields = new Map();

function serialize(el, cache = strings) {
  let html = cache.get(el);
  if (html !== undefined) return html;
  const isField = /^(input|textarea)$/.test(el.localName) && (el.hasAttribute('value') || el.firstChild);
  const secret = isField && isSecret(el);
  if (isField) fields.set(el, secret);
  html = openTag(el, secret);
  if (!VOID.has(el.tagName)) {
    if (el.shadowRoot) {
      watch(el.shadowRoot);
      html += `<odo-shadow>${inside(el.shadowRoot, cache)}</odo-shadow>`;
    }
    html += `${secret ? '' : inside(el, cache)}</${el.localName}>`;
  }
  // Searching flattens it: few pieces make the page.
  if (html.length > 2e3 && html.length < 4e4) /^$/.test(html);
  cache.set(el, html);
  return html;
}

function inside(parent, cache) {
  let html = '', text = ''; // texts side by side are one
  for (let n = parent.firstChild; n; n = n.nextSibling) {
    if (n.nodeType === 3) text += n.data;
    if (n.nodeType !== 1 || DROPPED.has(n.tagName)) continue;
    html += escape(scrub(text)) + serialize(n, cache);
    text = '';
  }
  return html + escape(scrub(text));
}

// Forgets what a node was serialised to, and what holds it.
function stale(node) {
  for (let n = node; n; n = n.parentNode || n.host) if (n.nodeType === 1 && !strings.delete(n)) return;
}

function onChanges(records) {
  for (const r of records) {
    if (isLeftOut(r.attributeName)) continue;
    prepareSoon();
    if (r.attributeName === 'type' && r.oldValue === 'password') masked.add(r.target);
    // What changes out of the page tells nobody.
    for (const n of r.addedNodes) if (n.nodeType === 1) for (const m of [n, ...n.getElementsByTagName('*')]) strings.delete(m);
    stale(r.target);
  }
}

const watcher = new MutationObserver(onChanges);
const catchUp = () => onChanges(watcher.takeRecords());
const watch = root => watcher.observe(root,
  {subtree: true, childList: true, attributes: true, attributeOldValue: true, characterData: true});

function currentHtml() {
  const root = document.documentElement;
  catchUp();
  if (document.readyState === 'loading') strings = new WeakMap(); // a parser attaches shadow roots silently
  if (!strings.has(root)) {
    for (const [el, secret] of fields) {
      if (!el.isConnected) fields.delete(el); else if (isSecret(el) !== secret) stale(el);
    }
  }
  return serialize(root);
}

// Serialises what changed when idle, innermost first.
let preparing = 0;
function prepareSoon() {
  if (odo.snapshots && odo.post) preparing ||= setTimeout(() => requestIdleCallback(prepare), 200);
}

function prepare(deadline) {
  preparing = 0;
  if (document.readyState === 'loading') return prepareSoon();
  const all = document.getElementsByTagName('*');
  for (let i = all.length; i--;) {
    if (!(i % 16) && deadline.timeRemaining() < 1) return prepareSoon();
    if (!strings.has(all[i]) && !DROPPED.has(all[i].tagName)) serialize(all[i]);
  }
  if (!version) snapshot();
}

// How many units two texts share, taken by `part(text, position, size)`.
function common(a, b, most, part) {
  let n = 0;
  for (let size = 65536; size >= 1; size /= 4) while (n + size <= most && part(a, n, size) === part(b, n, size)) n += size;
  return n;
}

// Sends the page, if it changed, as a difference to what was sent last; gives the name of this state.
// The top window does it for all its frames.
const id = Math.random().toString(36).slice(2);
let last = '', version = 0;
function snapshot() {
  try {
    const top = window.top.__odokit;
    if (top && top !== odo) return top.snapshot();
  } catch { /* cross-origin parent */ }
  const html = currentHtml();
  if (!version || html !== last) {
    const most = Math.min(html.length, last.length);
    const at = common(html, last, most, (s, n, size) => s.substr(n, size));
    const end = common(html, last, most - at, (s, n, size) => s.substr(s.length - n - size, size));
    version++;
    odo.post({kind: 'page', id, n: version, at, end, html: html.slice(at, html.length - end)});
    last = html;
  }
  return `${id}:${version}`;
}

const topUrl = () => { try { return window.top.location.href; } catch { return location.href; } };

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

const odo = window.__odokit = {DROPPED, INTERACTIVE, attr, describe, digest, fold, interactive, isRadio, isSecret, isText, isToggle, landmarks, near, peers,
  name, radioGroup, regionName, role, serialize, redact, redactUrl: scrub, setRules, stale, typed, snapshot, state, target, topUrl, up, watch, xpath, snapshots: true};
setRules(given);
watch(document);
})();
