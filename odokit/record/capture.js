// Records what a person does on a page and what the page does in answer.
//
// Runs at document start in every frame, after describe.js. It only watches: listeners that never
// stop or change an event, one observer, and wrappers that pass everything on. Events leave as JSON
// through window.__odokit_emit, or what the host left in __odokit_out.
(() => {
const odo = window.__odokit, out = window.__odokit_out;
delete window.__odokit_out;
if (odo.flush) return;
const {DROPPED, INTERACTIVE, attr, describe, digest, fold, interactive, isRadio, isSecret, isText, isToggle, name, radioGroup,
  redact, snapshot, state, target, topUrl, typed, up, xpath} = odo;

// --- emitting
const now = () => performance.timeOrigin + performance.now();
const post = odo.post = message => (out || window.__odokit_emit)?.(JSON.stringify(message));
const send = event => post(redact(event));

// What is seen and cannot be recorded is told, never passed over.
const gap = (what, el) => send({kind: 'gap', what, where: `on “${name(el)}” at ${xpath(el)} of ${topUrl()}`});

function base(kind, el, raw) {
  if (held || edited) settle();
  flushEffects();
  const event = {kind, at: now(), url: topUrl(), element: describe(el)};
  if (raw && raw !== el) event.raw_target = xpath(raw);
  if (odo.snapshots) event.page = snapshot();
  return event;
}

// Sends an event after the page had its turn, if it turned out to be one; a dialog or another page proves it.
let waiting = null;
function later(event, isOne) {
  const mine = waiting = {event, isSent: false};
  setTimeout(() => {
    if (waiting === mine) waiting = null;
    if (!mine.isSent && isOne()) send(event);
  });
  return mine;
}

function hurry() {
  if (!waiting) return;
  waiting.isSent = true;
  send(waiting.event);
  waiting = null;
}

// --- clicks, toggles
// The checkbox or radio button a click is about: itself, its label's, or the only one nearby.
function toggleNear(el) {
  if (isToggle(el)) return el;
  if (el.localName === 'label' && el.control && isToggle(el.control)) return el.control;
  if (el.closest('a[href],button')) return null;
  for (let n = el, i = 0; n && i < 4; n = n.parentElement, i++) {
    const inside = n.querySelectorAll('input[type=checkbox],input[type=radio]');
    if (inside.length) return inside.length > 1 ? null : inside[0];
  }
  return null;
}

const option = (el, value, label, selected) => ({value, label, selected, xpath: xpath(el)});

function toggled(event, el) {
  event.kind = isRadio(el) ? 'radio' : 'checkbox';
  if (isRadio(el)) {
    const {group, radios} = radioGroup(el);
    Object.assign(event, {group, value: name(el),
      options: radios.map(r => option(r, r.value || attr(r, 'value'), name(r), r === el))});
  } else event.checked = state(el);
  send(event);
}

// A click near a toggle is held until we know whether it changed it (frameworks redraw later).
let held = null;
function settle() {
  readEditor();
  const last = held;
  held = null;
  if (!last) return;
  clearTimeout(last.timer);
  if (last.before !== null && state(last.toggle) !== last.before) toggled(last.event, last.toggle);
  else if (last.click) send(last.click);
}

function onClick(e) {
  if (!e.isTrusted) return; // a script's click is an effect of something else
  if (byEnter && !e.detail) return; // the browser presses the form's button for the Enter key
  if (dragged) return; // it only ends a drag
  const path = e.composedPath(), raw = target(e);
  if (!raw) return;
  let el = interactive(path);
  nActs++;
  const before = pressed;
  pressed = null;
  if (before?.sending?.isSent) return;
  if (before && before.el !== el && !isShown(before.el)) return send(before.event);
  const focused = document.activeElement;
  if (focused && isUnseen(focused) && editor(focused).host.contains(raw)) return; // into an editor
  const toggle = toggleNear(el);
  if (held && held.toggle === toggle) return;
  settle();
  reveal(raw);
  blind(raw);
  if (toggle) {
    const direct = el === toggle && el.localName === 'input';
    const event = base('checkbox', toggle, raw), click = direct ? null : base('click', el, raw);
    held = {toggle, event, before: direct ? null : state(toggle), click, timer: setTimeout(settle, 80)};
    return;
  }
  if (el.localName === 'label' && el.control) el = el.control;
  if (/^(select|option)$/.test(el.localName) || el.type === 'file') return;
  if (isText(el) && !el.readOnly) {
    // It only sets the cursor, unless something opens.
    const before = nCame;
    return isEditor(el) ? 0 : later(base('click', el, raw), () => nCame !== before);
  }
  if (el === document.documentElement || el === document.body) return;
  send(base('click', el, raw));
}

// Some widgets act on the press and take the element away before the click would come.
let pressed = null;
function press(e, raw) {
  const el = interactive(e.composedPath());
  pressed = null;
  if (el.matches('a,button,input,select,textarea,label,summary') || isText(el)) return;
  if (!el.matches(INTERACTIVE) && getComputedStyle(el).cursor !== 'pointer') return;
  pressed = {el, event: base('click', el, raw)};
}

function onPointerup(e) {
  const mine = isDragged(e) ? pressed = null : pressed;
  drag = null;
  if (mine) mine.sending = later(mine.event, () => pressed === mine && !isShown(mine.el));
}

// --- other gestures
const gesture = (which, e) => {
  const raw = target(e);
  return {...base('click', interactive(e.composedPath()), raw), gesture: which};
};

function onDouble(e) {
  const raw = target(e);
  if (e.isTrusted && raw && !isText(raw) && !toggleNear(raw)) send(gesture('double', e));
}

// The browser's own menu is nothing that happened to the page.
function onMenu(e) {
  if (e.isTrusted && target(e)) later(gesture('context', e), () => e.defaultPrevented);
}

// A drag is the browser's (dragstart to drop) or the page's own (pointer events).
let drag = null, dragged = false;
function dragTo(e, to) {
  const box = to.getBoundingClientRect();
  const share = (at, from, size) => Math.min(1, Math.max(0, (at - from) / size || 0));
  send({...drag.event, at: now(), gesture: 'drag', drop: describe(to),
    drop_at: [share(e.clientX, box.x, box.width), share(e.clientY, box.y, box.height)]});
  drag = null;
}

function onDrop(e) {
  const to = target(e);
  if (!e.isTrusted || !to) return;
  if (drag?.event) dragTo(e, to); else gap('something from outside was dropped', to);
}

function onDragstart(e) {
  const el = target(e);
  drag = e.isTrusted && el ? {event: base('click', el)} : null;
}

function onPointerdown(e) {
  const el = target(e);
  acted = now();
  drag = pressed = null;
  if (e.button || !e.isTrusted || !el || isText(el)) return;
  press(e, el);
  drag = {el, path: e.composedPath(), x: e.clientX, y: e.clientY, stir};
}

function onPointermove(e) {
  if (entered && now() - entered.at < 50) {
    over = entered;
    for (const n of unsure) revealed.set(n, over.el);
  }
  entered = null;
  if (!drag?.el || drag.event || Math.hypot(e.clientX - drag.x, e.clientY - drag.y) < 8) return;
  drag.event = base('click', interactive(drag.path), drag.el);
}

// Whether a press was a drag: the page followed it, and it marked no text.
function isDragged(e) {
  const {el, event, stir: before} = drag || {};
  if (!el || !event || stir === before || !getSelection().isCollapsed) return false;
  dragged = true;
  setTimeout(() => { dragged = false; });
  if (el.localName === 'canvas') return blind(el) || true;
  const under = el.getRootNode().elementsFromPoint(e.clientX, e.clientY).filter(n => !el.contains(n));
  const to = under.find(n => !n.contains(el)) || under[0];
  if (to) dragTo(e, to);
  return !!to;
}

// A hover counts when what it made appear, by a script or a style sheet, is used.
let over = null, entered = null, unsure = [], acted = now(), lastHover = null;
const chain = el => el ? [el, ...chain(up(el))] : [];
const revealed = new WeakMap();
function onOver(e) {
  const el = target(e);
  if (!el || !e.isTrusted) return;
  entered = {el, at: now()}; // unless no movement follows: then the page was redrawn under the pointer
  unsure = [];
  if (!lastHover?.contains(el)) lastHover = null;
}

let kept = {}; // style sheets are long, and rarely change
function hoverRules(root) {
  const sheets = [], found = [];
  for (const sheet of [...root.styleSheets || [], ...root.adoptedStyleSheets || []]) {
    try { sheets.push(sheet.cssRules); } catch { /* of another origin */ }
  }
  const n = sheets.reduce((sum, rules) => sum + rules.length, 0);
  if (kept.root === root && kept.n === n) return kept.found;
  const walk = rules => {
    for (const rule of rules) {
      if (rule.cssRules?.length) walk(rule.cssRules);
      const parts = (rule.selectorText || '').split(',').filter(s => /:hover.*[ >+~]/.test(s));
      if (parts[0] && /display: (?!none)|visibility: v|opacity: 1/.test(rule.style.cssText)) found.push(...parts);
    }
  };
  sheets.forEach(walk);
  kept = {root, n, found};
  return found;
}

function hoverHost(n, rules) {
  if (revealed.has(n)) return revealed.get(n);
  for (const rule of rules) {
    const host = rule.slice(0, rule.indexOf(':hover'));
    try { if (n.matches(rule)) return n.closest(host) || n.parentElement.querySelector(host); } catch { /* nested rule */ }
  }
}

function reveal(el) {
  const rules = hoverRules(el.getRootNode());
  for (let n = el; n; n = up(n)) {
    const host = hoverHost(n, rules);
    if (!host || host === lastHover) continue;
    revealed.delete(n);
    lastHover = host;
    // What it is called must not be what it hides.
    const inside = [...host.querySelectorAll(INTERACTIVE)].find(other => !n.contains(other));
    return send({...base('click', host.matches(INTERACTIVE) ? host : inside || interactive(chain(host))), gesture: 'hover'});
  }
}

const closed = new WeakSet();
function blind(raw) {
  if (closed.has(raw)) gap('a closed shadow root was used', raw);
  if (raw.localName === 'canvas') gap('a canvas was used', raw);
}

// --- entries
// Where an editor draws the text it takes from an element, and the text.
function editor(el) {
  let host = el;
  if (el.isContentEditable) {
    try {
      const frame = window.frameElement, all = frame && (window.parent.tinymce || window.parent.tinyMCE);
      const tiny = all && [].concat(all.get()).find(x => x?.iframeElement === frame);
      if (tiny) return {host: frame, id: tiny.id, text: lines(el.innerText)};
    } catch { /* cross-origin parent */ }
    while (host.parentElement?.isContentEditable) host = host.parentElement;
  } else while (!host.CodeMirror && host.parentElement && (host === el || !host.innerText.trim())) host = host.parentElement;
  const own = host.CodeMirror || host.env?.editor;
  return {host, id: host.id, text: lines(own ? own.getValue() : host.innerText)};
}

const lines = s => s.replace(/[^\S\n]+/g, ' ').replace(/ ?\n\s*/g, '\n').trim().slice(0, 1e5);
// Some editors take keys by a text area that nobody sees.
const isUnseen = el => el.localName === 'textarea' && [el, el.parentElement].some(n =>
  n && (n.offsetWidth < 5 || n.offsetHeight < 5 || getComputedStyle(n).opacity === '0'));
const isEditor = el => el.isContentEditable || isUnseen(el);

// An editor is read when it has come to rest: it may act on a key and raise no event.
let edited = null;
function edit(e, el) {
  const {host, id, text} = editor(el);
  if (edited?.el !== el) {
    readEditor();
    if (!told.has(host)) told.set(host, text);
    edited = {el, event: {...base('rich_text', host, el), editor_id: id}};
  }
  edited.isSure ||= e.type === 'input';
  if (e.key === 'Enter' && text) { // it may send what was written
    later({...base('click', host, el), gesture: 'key', value: chord(e)}, () => {
      const isSent = !host.isConnected || !editor(el).text;
      if (isSent) edited = null;
      return isSent;
    });
    if (!edited) return edit({type: ''}, el);
  }
  edited.at = now();
  clearTimeout(edited.timer);
  edited.timer = setTimeout(readEditor, 60);
}

function readEditor() {
  const last = edited;
  edited = null;
  if (!last) return;
  clearTimeout(last.timer);
  const {host, text} = editor(last.el);
  if (!last.isSure && told.get(host) === text) return;
  told.set(host, text);
  send({...last.event, at: last.at, value: text});
}

// A picker or formatter may change a field without an event: compare when the field is left.
const told = new WeakMap();
function onFocus(e) {
  const el = target(e);
  if (e.type === 'focusout') readEditor();
  if (!el || !isText(el) || isEditor(el)) return;
  if (e.type === 'focusin') told.set(el, el.value);
  else if (el.value && told.has(el) && told.get(el) !== el.value) entry(el, typed(el)); // emptied: it was sent
}

function entry(el, value) {
  settle();
  const event = {...base('data_entry', el), value};
  if (isSecret(el)) event.typed = digest(el.value);
  told.set(el, el.value);
  send(event);
}

const chord = e => [e.ctrlKey && 'Control', e.altKey && 'Alt', e.shiftKey && (e.key.length > 1 || e.ctrlKey) && 'Shift',
  e.metaKey && 'Meta', e.key === ' ' ? 'Space' : e.key].filter(Boolean).join('+');

// A key counts when the page handled it: it kept the browser from acting, or changed itself.
let byEnter = false;
function onKeydown(e) {
  const el = target(e), plain = !(e.ctrlKey || e.metaKey || e.altKey), line = el?.localName === 'input';
  acted = now();
  if (!el || !e.isTrusted || e.isComposing || /^(Control|Shift|Alt|AltGraph|Meta|Tab|CapsLock|Dead|Process)$/.test(e.key)) return;
  if (isEditor(el) && plain) return edit(e, el);
  if (isText(el) && plain && !(line ? /^(Escape|Enter|F\d+|Arrow(Up|Down))$/ : /^(Escape|Enter|F\d+)$/).test(e.key)) return;
  if (/^(Enter| )$/.test(e.key) && el.matches('a[href],button,summary,input,select') && !isText(el)) return; // it clicks
  const event = () => ({...base('click', el), gesture: 'key', value: chord(e)}), before = [stir, nActs];
  if (line && isText(el) && e.key === 'Enter') {
    // In a single-line field Enter ends the entry by a line feed, unless it picks from a list.
    const enter = () => entry(el, typed(el) + '\n');
    byEnter = true;
    setTimeout(() => { byEnter = false; });
    if (attr(el, 'role') !== 'combobox' && !attr(el, 'aria-autocomplete')) return enter();
    later(event(), () => e.defaultPrevented || enter());
  } else {
    // Of a key that shows no effect at once the host knows whether it caused a request.
    const keyed = event();
    later(keyed, () => nActs === before[1] && (e.defaultPrevented || stir !== before[0] || (keyed.maybe = true)));
  }
}

// Clicks and entries so far: a key that did one needs no event of its own.
let nActs = 0;
function onInput(e) {
  const el = target(e);
  nActs++;
  if (!el || isToggle(el) || /^(select|option)$/.test(el.localName) || el.type === 'file') return; // change tells
  if (isEditor(el)) return edit(e, el);
  if (isText(el)) entry(el, typed(el)); else blind(el);
}

function onChange(e) {
  const el = target(e);
  if (!el) return;
  if (el.type === 'file') {
    const files = [...el.files].map(f => ({name: f.name, size: f.size}));
    send({...base('data_entry', el), value: files.map(f => f.name).join(', '), files});
  } else if (isToggle(el)) {
    const event = held?.toggle === el ? held.event : base('checkbox', el);
    clearTimeout(held?.timer);
    held = null;
    toggled(event, el);
  } else if (el.localName === 'select') {
    const options = [...el.options].map(o => option(o, o.value, fold(o.label || o.text), o.selected));
    send({...base('select', el), value: options.filter(o => o.selected).map(o => o.label).join(', '), options});
  }
}

// --- effects
const shownBefore = new WeakMap();
let effects = [], effectTimer = 0, stir = 0, nCame = 0;
const isShown = el => el.isConnected && (el.checkVisibility ? el.checkVisibility() : el.offsetParent !== null);
const brief = (action, el, path) => ({action, xpath: path || xpath(el), tag: el.localName, text: fold(el.textContent, 120)});

const isPart = n => n.nodeType === 1 && !DROPPED.has(n.tagName) && n !== odo.probe;
function onMutations(records) {
  stir++;
  if (odo.probe && records.some(r => r.addedNodes[0] === odo.probe)) odo.seen.push('observer');
  const {el, at} = entered || over || {}, byHover = now() - at < 400 && now() - acted > 400;
  const came = (action, n) => {
    nCame++;
    effects.push(brief(action, n));
    if (!byHover || n.contains(el) || !(el.parentElement?.contains(n) || /absolute|fixed/.test(getComputedStyle(n).position))) return;
    if (entered) unsure.push(n); else revealed.set(n, el);
  };
  for (const r of records) {
    if (effects.length >= 60) break;
    for (const n of r.addedNodes) if (isPart(n) && isShown(n)) came('added', n);
    for (const n of r.removedNodes) if (isPart(n)) effects.push(brief('removed', n, `${xpath(r.target)}/${n.localName}`));
    if (r.type === 'attributes') {
      const now = isShown(r.target), had = r.oldValue !== null;
      // Of an element not seen before, these attributes tell how it was.
      const first = {hidden: !had, open: had}[r.attributeName];
      const was = shownBefore.has(r.target) ? shownBefore.get(r.target) : first;
      if (was !== undefined && was !== now) now ? came('shown', r.target) : effects.push(brief('hidden', r.target));
      shownBefore.set(r.target, now);
    }
  }
  if (effects.length && !effectTimer) effectTimer = setTimeout(flushEffects, 100);
}

function flushEffects() {
  clearTimeout(effectTimer);
  effectTimer = 0;
  const batch = effects;
  effects = [];
  if (batch.length && window === window.top) send({kind: 'dom_effect', at: now(), url: topUrl(), effects: batch});
}

const flush = () => { settle(); flushEffects(); hurry(); };
Object.assign(odo, {editor, flush, seen: [], ping: () => send({kind: 'ping'})});
odo.rest = () => new Promise(r => { setTimeout(r, held || edited ? 100 : 0); }).then(flush);

const attach = Element.prototype.attachShadow;
Element.prototype.attachShadow = function (init) {
  if (init?.mode === 'closed') closed.add(this);
  const root = attach.call(this, init);
  odo.stale(this);
  return root;
};
// The person's answer is taken from the real dialog.
for (const type of ['alert', 'confirm', 'prompt']) {
  const ask = window[type];
  window[type] = (...said) => {
    flush();
    const answer = ask.apply(window, said);
    send({kind: 'dialog', at: now(), dialog: {type, message: fold(`${said[0] ?? ''}`, 1000),
      accepted: answer !== false && answer !== null, text: type === 'prompt' ? answer || '' : ''}});
    return answer;
  };
}

const LISTENERS = {click: onClick, pointerup: onPointerup, pointerdown: onPointerdown, pointermove: onPointermove, mouseover: onOver,
  dblclick: onDouble, contextmenu: onMenu, dragstart: onDragstart, drop: onDrop, focusin: onFocus, focusout: onFocus,
  input: onInput, change: onChange, keydown: onKeydown, beforeunload: flush,
  auxclick: e => { if (e.button === 1 && target(e)) gap('the middle button was used', target(e)); },
  dragend: () => { drag = null; }, pointercancel: () => { if (drag?.el) drag = null; }};
function hear(e) {
  if (e.composedPath()[0] !== odo.probe) return LISTENERS[e.type](e);
  e.stopImmediatePropagation(); // of the self-test
  odo.seen.push(e.type);
}
odo.listen = () => {
  for (const type of odo.types) window.addEventListener(type, hear, {capture: true, passive: true});
  observe();
};
// On `pagehide` it is too late to send; at the start of a navigation it is not.
window.navigation?.addEventListener('navigate', e => { if (!e.destination.sameDocument) flush(); });
const observer = new MutationObserver(onMutations);
const observe = () => document.documentElement ? observer.observe(document.documentElement, {subtree: true, childList: true,
  attributes: true, attributeOldValue: true, attributeFilter: ['style', 'class', 'hidden', 'open', 'aria-hidden']})
  : document.addEventListener('readystatechange', observe, {once: true});
odo.types = Object.keys(LISTENERS);
odo.look = () => onMutations(observer.takeRecords());
odo.listen();
})();
