// Changes a kept page as a redesign would, one way at a time, and asks whether the ladder still finds
// an element. The right element is known by reference, so nothing the ladder could see marks it.
//
// Evaluates to {keep, drift, alike, elsewhere}. Needs capture.js (window.__odokit) in the page.
(locate) => {
  const odo = window.__odokit;
  const fold = s => (s || '').replace(/\s+/g, ' ').trim();
  const at = xpath => document.evaluate(xpath, document, null, XPathResult.FIRST_ORDERED_NODE_TYPE, null).singleNodeValue;
  const each = (root, selector, change) => [...root.querySelectorAll(selector)].forEach(change);
  const hash = s => [...s].reduce((h, c) => Math.imul(h ^ c.charCodeAt(), 0x01000193) >>> 0, 0x811c9dc5);
  const parent = el => el.parentElement;

  let kept = '';
  function load() {
    document.documentElement.innerHTML = kept;
    each(document, 'odo-shadow', box => {
      box.parentElement.attachShadow({mode: 'open'}).append(...box.childNodes);
      box.remove();
    });
  }

  // --- words
  const SYNONYMS = {save: 'keep', create: 'make', delete: 'discard', remove: 'take out', edit: 'change', add: 'include',
    new: 'another', cancel: 'dismiss', close: 'shut', continue: 'proceed', next: 'onward', confirm: 'approve',
    update: 'refresh', search: 'look up', copy: 'replicate', rename: 'relabel', submit: 'hand in', options: 'choices',
    option: 'choice', settings: 'preferences', enroll: 'sign up', view: 'show', class: 'course', classes: 'courses',
    name: 'label', title: 'heading', password: 'passphrase', quiz: 'test', lesson: 'unit', lessons: 'units',
    start: 'begin', product: 'article', products: 'articles', price: 'cost', account: 'profile', address: 'location',
    customer: 'client', customers: 'clients', order: 'purchase', orders: 'purchases', description: 'summary',
    code: 'key', value: 'amount', more: 'further', actions: 'operations', users: 'people', user: 'person',
    group: 'team', groups: 'teams', learners: 'students', learner: 'student', plan: 'prepare', all: 'every',
    select: 'pick', full: 'complete', type: 'kind', stock: 'supply', rate: 'tariff', country: 'nation', home: 'start page'};
  const cased = (word, like) => like[0] === like[0].toUpperCase() ? word[0].toUpperCase() + word.slice(1) : word;
  const synonym = text => {
    let done = false;
    const changed = text.replace(/\p{L}+/gu, w => {
      const other = !done && SYNONYMS[w.toLowerCase()];
      if (!other) return w;
      done = true;
      return cased(other, w);
    });
    return changed;
  };
  const typo = text => {
    const words = [...text.matchAll(/\p{L}{4,}/gu)];
    if (!words.length) return text;
    const word = words[hash(text) % words.length];
    const i = word.index + 1 + hash(text + '#') % (word[0].length - 2);
    return text.slice(0, i) + text[i + 1] + text[i] + text.slice(i + 2);
  };
  const recase = text => text === text.toUpperCase() ? text.toLowerCase() : text.toUpperCase();
  const reword = text => text.replace(/\p{L}+/gu, w => {
    const rows = ['bdfgklmnprstvz', 'aeiou'];
    let h = hash(w.toLowerCase()), out = '';
    for (let i = 0; i < Math.max(2, w.length); i++) { out += rows[i % 2][h % rows[i % 2].length]; h = Math.imul(h, 0x9e3779b1) >>> 3; }
    return cased(out, w);
  });
  const WORDED = ['aria-label', 'title', 'placeholder', 'alt'];

  function rewrite(node, change) {
    const walker = document.createTreeWalker(node, NodeFilter.SHOW_TEXT);
    for (let n = walker.nextNode(); n; n = walker.nextNode()) if (fold(n.data)) n.data = change(n.data);
    for (const el of [node, ...node.querySelectorAll('*')]) {
      for (const key of WORDED) if (el.getAttribute(key)) el.setAttribute(key, change(el.getAttribute(key)));
      if (el.matches('input[type=submit],input[type=button],input[type=reset]') && el.value) el.setAttribute('value', change(el.value));
    }
  }

  // Every control of that role and name gets the other label: a redesign renames all of a kind.
  function relabel(el, change) {
    const role = odo.role(el), name = fold(odo.name(el));
    if (!name || name.length > 80) return false;
    const all = [...document.querySelectorAll(el.localName)].filter(n => odo.role(n) === role && fold(odo.name(n)) === name);
    const nodes = new Set();
    for (const n of all) {
      const field = /^(input|select|textarea)$/.test(n.localName) || n.isContentEditable;
      if (!field || WORDED.some(k => n.getAttribute(k)) || n.matches('[type=submit],[type=button]')) nodes.add(n);
      for (const label of n.labels || []) nodes.add(label);
      for (const id of (n.getAttribute('aria-labelledby') || '').split(/\s+/)) if (id && document.getElementById(id)) nodes.add(document.getElementById(id));
    }
    for (const n of [...nodes]) if ([...nodes].some(other => other !== n && other.contains(n))) nodes.delete(n);
    for (const n of nodes) {
      const field = /^(input|select|textarea)$/.test(n.localName);
      if (!field) rewrite(n, change);
      else for (const key of [...WORDED, 'value']) if (n.getAttribute(key) && (key !== 'value' || /submit|button/.test(n.type))) n.setAttribute(key, change(n.getAttribute(key)));
    }
    return fold(odo.name(el)) !== name;
  }

  // --- structure
  const wrapped = el => {
    const box = document.createElement('div');
    el.replaceWith(box);
    box.append(el);
  };
  const turned = el => el.append(...[...el.childNodes].reverse());
  const alone = el => /^(option|li|tr|td|th|tbody|thead|dt|dd|summary|body|html)$/.test(el.localName);

  // Each returns false when a page or an element offers nothing to change in that way.
  const KINDS = {
    none: () => true,
    ids: () => {
      const renamed = ids => ids.split(/\s+/).filter(Boolean).map(i => `z${hash(i)}`).join(' ');
      for (const key of ['id', 'for', 'class', 'aria-labelledby', 'aria-describedby', 'aria-controls', 'aria-owns', 'form']) {
        each(document, `[${key}]`, el => el.setAttribute(key, renamed(el.getAttribute(key))));
      }
      return true;
    },
    wrap: el => {
      each(document.body, 'button,form,ul,ol,fieldset,table,section,input,select,textarea', n => { if (!alone(n)) wrapped(n); });
      if (!alone(el)) wrapped(el);
      return true;
    },
    reorder: el => {
      const lists = new Set(document.querySelectorAll('ul,ol,tbody,nav,[role=list],[role=menu],[role=tablist],form'));
      for (let n = parent(el), i = 0; n && n !== document.body && i < 3; n = parent(n), i++) if (n.children.length > 1) lists.add(n);
      lists.forEach(turned);
      return lists.size > 0;
    },
    'label case': el => relabel(el, recase),
    'label typo': el => relabel(el, typo),
    'label synonym': el => relabel(el, synonym),
    translated: () => { rewrite(document.body, reword); return true; },
    moved: el => {
      let panel = el.parentElement.closest('form,fieldset,section,table,ul,ol,aside,[role=dialog],[role=tabpanel],[role=group],nav');
      if (!panel || panel === document.body || panel.contains(document.body)) panel = el.parentElement;
      if (panel === document.body || /^(td|th|tr|tbody|li)$/.test(panel.localName)) return false;
      const aside = document.createElement('aside');
      aside.append(panel);
      document.body.prepend(aside);
      return true;
    },
    removed: el => {
      const labels = [...(el.labels || [])];
      el.remove();
      labels.forEach(l => l.remove());
      return true;
    },
    duplicated: el => { el.after(el.cloneNode(true)); return true; },
  };

  // A click on either reaches the other.
  const isOne = (a, b) => a === b || (a.localName === 'label' && a.control === b) || (b.localName === 'label' && b.control === a) ||
    (!odo.role(b) && (a.contains(b) || b.contains(a)) && fold(a.textContent) === fold(b.textContent));

  // Another link of the same words to the same place is no other way to act.
  const isEqual = (a, b) => a.localName === 'a' && b.localName === 'a' && a.hasAttribute('href') &&
    a.getAttribute('href') === b.getAttribute('href') && fold(odo.name(a)) === fold(odo.name(b));

  async function verdict(spec, right) {
    const found = await locate(spec);
    const outcome = {rung: found.rung, is_found: !!found.element,
      is_right: !!(found.element && right && (isOne(found.element, right) || isEqual(found.element, right))),
      by_xpath: !!right && at(spec.xpath) === right, has_xpath: !!at(spec.xpath)};
    if (found.element && !outcome.is_right) outcome.taken = found.element.outerHTML.slice(0, 200);
    return outcome;
  }

  return {
    // Takes a page, and gives what the recorder says of some elements of it.
    keep(html, xpaths) {
      kept = html;
      load();
      return xpaths.map(x => { const el = at(x); return el && odo.describe(el); });
    },
    async drift(spec, kind) {
      load();
      const el = at(spec.xpath);
      // What depends on the task is data, and no label that a redesign would change.
      if (!spec.isLabel && /label|translated/.test(kind)) return null;
      if (!KINDS[kind](el)) return null;
      const gone = kind === 'removed';
      if (!gone && !el.isConnected) return null;
      const other = gone && document.body.querySelectorAll('*');
      const outcome = await verdict(spec, gone ? null : el);
      if (other && outcome.taken) {
        // The same link elsewhere on the page is still the way there.
        const found = (await locate(spec)).element;
        outcome.is_right = isEqual(found, el);
      }
      return outcome;
    },
    // How many elements have its role; its name but for numbers; its name; its regions; the text
    // near it; its path: each with all before it.
    alike(spec) {
      load();
      const own = at(spec.xpath), regions = odo.landmarks(own).join('\n'), called = fold(odo.name(own));
      const blank = s => fold(s).replace(/\d+/g, '#');
      const clues = [
        el => odo.role(el) === spec.role && (spec.role || el.localName === spec.tag) && el.checkVisibility(),
        el => blank(odo.name(el)) === blank(called),
        el => fold(odo.name(el)) === called,
        el => odo.landmarks(el).join('\n') === regions,
        (el, all) => odo.near(el, all.filter(n => n !== el)) === odo.near(own, all.filter(n => n !== own)),
        el => el === own,
      ];
      let left = [...document.querySelectorAll('*')];
      return clues.map(clue => (left = left.filter(el => clue(el, left))).length);
    },
    // On another page: right where it stands at its path as it was, absent where nothing is called so.
    async elsewhere(spec) {
      load();
      const called = el => odo.role(el) === spec.role && el.localName === spec.tag && fold(odo.name(el)) === fold(spec.name);
      const here = at(spec.xpath);
      const isHere = here && called(here) && ['id', 'name', 'type'].every(k => spec.attributes[k] === undefined || here.getAttribute(k) === spec.attributes[k]);
      if (spec.by === 'item' && fold(document.body.textContent).includes(spec.wanted)) return null;
      if (spec.by === 'item') return verdict(spec, null);
      if (!isHere && [...document.querySelectorAll(spec.tag)].some(called)) return null;
      return verdict(spec, isHere ? here : null);
    },
  };
}
