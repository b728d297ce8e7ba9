// Finds the element of an instruction in the live page. Uses window.__odokit of capture.js, so that
// "same role, same name" means the same at run time as in the recording. Returns the element and the
// rung it was recognised on, or the candidates, so that the caller can decide or abstain.
//
// spec: {role, tag, name, isLabel, pattern, landmarks, regions, xpath, attributes, peers, isOther, by, wanted, depth, timeoutMs};
// a landmark has a loose pattern (its kind) and, when its name tells regions apart, a strict one.
// `peers` says how unique the element was on its page: what was one of two is not the one that is left.
// `isOther` says that the text near it held a value of the task that is another one now.
(spec) => {
  const odo = window.__odokit;
  const fold = s => (s || '').replace(/\s+/g, ' ').trim();
  const lower = s => fold(s).toLowerCase();
  const shown = el => el.isConnected && (!el.checkVisibility || el.checkVisibility()) && el.getClientRects().length > 0;
  const whole = p => new RegExp(`^(?:${p})$`, 'i');
  const pattern = spec.pattern ? whole(spec.pattern) : null;
  const exact = spec.landmarks.map(l => whole(l.pattern || l.loose));
  // The nearest region whose name tells it from others.
  const telling = spec.landmarks.filter(l => l.pattern).map(l => whole(l.pattern)).pop();
  const peers = spec.peers || {twins: 0, kin: 0, names: [], near: ''};
  const strangers = new Set(peers.names.map(lower));
  const ALIKE_TEXT = 0.6, SAME_TEXT = 0.8, ALIKE_NAME = 0.75, STILL_THERE = 0.5, WORDY = 3, QUIET_MS = 700, MOST_OPTIONS = 60;

  // --- clues
  const words = s => new Set(lower(s).match(/[\p{L}]+/gu) || []);
  function shared(a, b) { // Jaccard index of two sets
    const both = [...a].filter(x => b.has(x)).length;
    return both / Math.max(1, a.size + b.size - both);
  }
  // Letters to insert, delete, change or swap with their neighbour (optimal string alignment).
  function distance(a, b) {
    const rows = [[...Array(b.length + 1).keys()]];
    for (let i = 1; i <= a.length; i++) {
      rows.push([i]);
      for (let j = 1; j <= b.length; j++) {
        let d = Math.min(rows[i - 1][j], rows[i][j - 1]) + 1;
        d = Math.min(d, rows[i - 1][j - 1] + (a[i - 1] !== b[j - 1]));
        if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) d = Math.min(d, rows[i - 2][j - 2] + 1);
        rows[i].push(d);
      }
    }
    return rows[a.length][b.length];
  }
  const digits = s => (s.match(/\d+/g) || []).join(' ');
  function alike(a, b) {
    [a, b] = [lower(a).slice(0, 80), lower(b).slice(0, 80)];
    if (digits(a) !== digits(b)) return 0; // another number is another thing
    const longest = Math.max(1, a.length, b.length), close = Math.abs(a.length - b.length) / longest <= 1 - ALIKE_NAME;
    return Math.max(shared(words(a), words(b)), close ? 1 - distance(a, b) / longest : 0);
  }
  // Candidates, names, regions and places hold for one look at the page.
  const marks = new Map(), names = new Map(), places = new Map();
  let pooled = null;
  function nameOf(el) {
    if (!names.has(el)) names.set(el, odo.name(el));
    return names.get(el);
  }
  const regions = el => odo.landmarks(el, marks);
  const fits = (found, patterns) => found.length === patterns.length && found.every((m, i) => patterns[i].test(m));
  const sameRegions = el => fits(regions(el), exact);
  const inTelling = el => !telling || regions(el).some(m => telling.test(m));
  const likeNear = (el, twins) => peers.near ? shared(words(odo.near(el, twins)), words(peers.near)) : 0;
  const sameNear = (el, twins) => likeNear(el, twins) >= ALIKE_TEXT;
  // The nearest region is called much as it was: every dialog of a page has a button at that place.
  const title = all => words((all.at(-1) || '').replace(/^[^:]*:/, ''));
  const sameTitle = el => {
    const [now, then] = [title(regions(el)), title(spec.regions)];
    return now.size + then.size === 0 || shared(now, then) >= STILL_THERE;
  };
  // What stands at the recorded path of a tree: to go down once is cheaper than up from every element.
  const steps = spec.xpath.split('/').slice(1).map(s => s.match(/^([^[]*)(?:\[(\d+)\])?$/) || []);
  function follow(root) {
    let n = root;
    for (const [, tag, number] of steps) {
      const same = [...n.children].filter(c => c.localName === tag);
      n = (same.length > 1) === !!number && same[(number || 1) - 1];
      if (!n) return null;
    }
    return n;
  }
  // A plain element may be found by what lies within it.
  function samePath(el) {
    const root = el.getRootNode();
    if (!places.has(root)) places.set(root, follow(root));
    const there = places.get(root);
    return el === there || !!(there && !spec.role && there.contains(el));
  }
  const innermost = el => {
    const dialogs = [...document.querySelectorAll('dialog[open],[role=dialog],[role=alertdialog],[aria-modal=true]')].filter(shown);
    return !dialogs.length || dialogs.some(d => d.contains(el));
  };
  // It was there under this name when the interaction was recorded, as another element.
  const isStranger = el => spec.by !== 'name' && strangers.has(lower(nameOf(el).slice(0, 60)));

  // --- candidates
  const TAGS = {button: 'button,summary,input', link: 'a', textbox: 'input,textarea,[contenteditable]', combobox: 'select',
    option: 'option', checkbox: 'input', radio: 'input', searchbox: 'input', spinbutton: 'input', slider: 'input', file: 'input'};

  function* deep(root, selector) {
    yield* root.querySelectorAll(selector);
    for (const host of root.querySelectorAll('*')) if (host.shadowRoot) yield* deep(host.shadowRoot, selector);
  }

  // A toggle may be drawn by its label while the input itself is transparent or off-screen.
  const usable = el => shown(el) || (odo.isToggle(el) && [...(el.labels || [])].some(shown)) ||
    (odo.isToggle(el) && el.parentElement && shown(el.parentElement));

  function pool() {
    const selector = [spec.tag, spec.role && TAGS[spec.role], spec.role && `[role^="${spec.role}"]`].filter(Boolean).join(',');
    return pooled ||= [...deep(document, selector)].filter(el => spec.role ? odo.role(el) === spec.role : el.localName === spec.tag);
  }

  // To name an element is dear. Whether a text it could be named by passes a test that any longer
  // text with it would pass too.
  const OWN_NAME = /^(input|select|textarea)$/;
  function could(el, test) {
    if (OWN_NAME.test(el.localName) || el.hasAttribute('aria-labelledby')) return true;
    const text = el.textContent, has = k => test((el.getAttribute(k) || '').toLowerCase());
    return !/\S/.test(text) || test(text.toLowerCase()) || ['aria-label', 'title', 'alt'].some(has) ||
      /combobox/i.test(el.getAttribute('role')) || el.isContentEditable;
  }
  // The longest word of the name: what holds it nowhere cannot be called so.
  const sought = lower(spec.name).slice(0, 80), spelt = [...words(sought)];
  const telltale = [...words(spec.name)].sort((a, b) => b.length - a.length)[0];
  const mayBe = el => !telltale || could(el, text => text.includes(telltale));
  // What is called almost so has most of its words or most of its letters (see `alike`).
  const letters = sought.replace(/ /g, ''), spare = sought.length * (1 / ALIKE_NAME - 1);
  const mayBeAlike = el => could(el, text => {
    if (spelt.length && spelt.filter(w => text.includes(w)).length >= spelt.length * ALIKE_NAME) return true;
    const open = new Map();
    for (const c of letters) open.set(c, (open.get(c) || 0) + 1);
    let missing = letters.length;
    for (let i = 0; i < text.length && missing > spare; i++) {
      const n = open.get(text[i]);
      if (n) { open.set(text[i], n - 1); missing--; }
    }
    return missing <= spare;
  });

  function named(all) {
    const called = all.filter(mayBe).map(el => [el, lower(nameOf(el))]);
    const same = called.filter(([, n]) => n === lower(spec.name)).map(([el]) => el).filter(usable);
    if (same.length || !pattern) return same;
    return called.filter(([el, n]) => pattern.test(n) && !isStranger(el)).map(([el]) => el).filter(usable);
  }

  // Of several that fit, keep those that also fit a further clue, if any does.
  const prefer = (list, test) => { const kept = list.length > 1 ? list.filter(test) : list; return kept.length ? kept : list; };
  function reachable(list) {
    // Of nested plain elements that say the same, the innermost: a click on it reaches the others.
    if (!spec.role) list = list.filter(el => !list.some(other => other !== el && el.contains(other)));
    // A drawn control and the hidden one it stands for have one role and name, but not one tag.
    const own = el => el.localName === spec.tag;
    return prefer(strangers.has(lower(spec.name || '')) ? list.filter(own) : prefer(list, own), innermost);
  }

  // --- rungs
  // Which of the elements called the same; `called` is the rung's first word.
  function choose(list, called) {
    const here = list.filter(sameRegions);
    if (here.length === 1 && !peers.kin) return {el: here[0], rung: `${called}+regions`};
    const near = (some, least) => some.filter(el => likeNear(el, peers.twins ? list.filter(t => t !== el) : []) >= least);
    const close = near(here, ALIKE_TEXT);
    if (close.length === 1) return {el: close[0], rung: `${called}+near`};
    // Its region was moved, or it was moved out of a region that told nothing.
    const told = list.filter(inTelling);
    if (told.length === 1 && (telling ? !peers.kin : list.length === 1 && !peers.twins)) return {el: told[0], rung: called};
    const moved = here.length || words(peers.near).size < WORDY ? [] : near(list, SAME_TEXT);
    if (moved.length === 1) return {el: moved[0], rung: `${called}+text`};
    // As many as there were, and one of them where it was.
    if (peers.kin && !spec.isOther && here.length === peers.kin + 1) {
      const there = here.filter(samePath);
      if (there.length === 1) return {el: there[0], rung: `${called}+place`};
    }
    return null;
  }

  const ITEM = 'tr,li,[role=row],[role=listitem]';
  function holds(el, text) {
    const clean = ` ${lower(el.innerText || el.textContent).replace(/[^\p{L}\p{N}]+/gu, ' ').trim()} `;
    return clean.includes(` ${lower(text).replace(/[^\p{L}\p{N}]+/gu, ' ').trim()} `);
  }

  // The last tags of a path, without boxes that mean nothing.
  const shape = path => path.replace(/\[\d+\]/g, '').split('/').filter(t => t && t !== 'div' && t !== 'span').slice(-3).join('/');

  // The one candidate whose list item says what is wanted: the smallest ancestor that says so must
  // hold no other candidate.
  function inItem(candidates) {
    const found = [];
    for (const el of candidates) {
      let n = el;
      for (let i = 0; n && i <= spec.depth + 2; i++, n = n.parentElement) {
        if (!holds(n, spec.wanted)) {
          if (n !== el && n.matches(ITEM)) break; // of another item
          continue;
        }
        if (!candidates.some(other => other !== el && n.contains(other))) found.push(el);
        break;
      }
    }
    return found.filter(el => shape(odo.xpath(el)) === shape(spec.xpath));
  }

  function byItem(all) {
    const candidates = spec.name ? named(all) : all.filter(el => el.localName === spec.tag && !nameOf(el) && usable(el));
    const hits = prefer(reachable(inItem(candidates)), sameRegions);
    if (hits.length === 1) return {el: hits[0], rung: 'item'};
    return {el: null, rung: hits.length ? 'ambiguous' : 'none', options: candidates};
  }

  // How many of the others of its role are still called as they were, from 0 to 1; and whether there
  // are as many as there were, though none is called as it was: the page in another language.
  function compare(all) {
    const here = new Set(all.map(el => lower(nameOf(el).slice(0, 60))));
    const still = [...strangers].filter(n => here.has(n)).length;
    const left = strangers.size ? still / strangers.size : 1;
    return {left, isPage: left >= STILL_THERE || (!still && here.size === strangers.size + 1)};
  }

  const KEYS = ['data-testid', 'id', 'name', 'href'];
  // `isNew` is asked of what has the attribute and fits, `isPage` only where it matters: both name many.
  function byAttribute(all, isNew) {
    for (const key of KEYS) {
      const value = spec.attributes[key];
      if (!value || value === '#' || (key === 'name' && spec.role === 'button') || (key !== 'href' && /\d{3,}|[0-9a-f]{8,}/i.test(value))) continue;
      const hits = all.filter(el => el.getAttribute(key) === value && sameRegions(el) && isNew(el) &&
        (sameNear(el, []) || alike(nameOf(el), spec.name) >= ALIKE_TEXT || (samePath(el) && compare(pool()).isPage)));
      if (hits.length === 1) return {el: hits[0], rung: spec.name ? 'attribute' : 'nameless+attribute'};
    }
    return null;
  }

  // It is called something else now, or it is gone: what was another element then is not this one.
  function renamed(all) {
    const isNew = el => sameTitle(el) && nameOf(el) && !isStranger(el) && usable(el);
    const attribute = byAttribute(all, isNew);
    if (attribute) return attribute;
    if (!spec.peers) return null; // recorded without looking who else was there
    const near = all.filter(el => sameRegions(el) && mayBeAlike(el) && isNew(el) && alike(nameOf(el), spec.name) >= ALIKE_NAME);
    if (near.length === 1) return {el: near[0], rung: 'alike name'};
    // The page is the same but for one name, and that is at its place.
    const there = all.filter(el => el.localName === spec.tag && samePath(el) && sameRegions(el) && isNew(el));
    if (there.length === 1 && sameNear(there[0], []) && compare(all).left >= STILL_THERE) return {el: there[0], rung: 'place'};
    return null;
  }

  function nameless(all) {
    const list = all.filter(el => el.localName === spec.tag && usable(el) && !nameOf(el));
    return (!peers.twins && byAttribute(list, () => true)) || choose(list, 'nameless');
  }

  function strict() {
    const all = pool();
    if (spec.by === 'item') return byItem(all);
    if (!spec.name) return nameless(all) || {el: null, rung: 'none', options: all};
    const list = reachable(named(all));
    return choose(list, 'name') || {el: null, rung: list.length ? 'ambiguous' : 'none', options: list};
  }

  // Only for a page that has come to rest: what is looked for may be yet to come.
  function lenient() {
    const all = pool();
    const found = spec.name && spec.isLabel && renamed(all);
    if (found || spec.by !== 'name') return found || {el: null, rung: 'none', options: all};
    const options = [];
    for (const el of all) if (options.length < MOST_OPTIONS && sameRegions(el) && nameOf(el)) options.push(el);
    return {el: null, rung: 'none', options};
  }

  return new Promise(resolve => {
    const until = performance.now() + spec.timeoutMs;
    let timer = 0, frame = 0, observer = null, changed = performance.now();
    const done = result => {
      clearTimeout(timer);
      cancelAnimationFrame(frame);
      observer.disconnect();
      const options = (result.options || []).slice(0, MOST_OPTIONS);
      resolve({element: result.el, rung: result.rung, nodes: options,
        options: options.map(el => fold(spec.by === 'item' ? (el.closest(ITEM) || el).innerText : nameOf(el)).slice(0, 200))});
    };
    const look = () => {
      frame = 0;
      [marks, names, places].forEach(known => known.clear());
      pooled = null;
      const now = performance.now();
      let result = strict();
      if (result.rung === 'none' && spec.by !== 'item' && (now >= until || now - changed >= QUIET_MS)) result = lenient();
      const ready = result.el && !(result.el.disabled || result.el.getAttribute('aria-disabled') === 'true');
      if (ready || now >= until) done(result);
    };
    observer = new MutationObserver(() => {
      changed = performance.now();
      if (!frame) frame = requestAnimationFrame(look);
    });
    observer.observe(document, {subtree: true, childList: true, attributes: true, characterData: true});
    // Values and styles change without a mutation; look again now and then, and at the deadline.
    const tick = () => { look(); timer = setTimeout(tick, Math.max(20, Math.min(250, until - performance.now()))); };
    tick();
  });
}
