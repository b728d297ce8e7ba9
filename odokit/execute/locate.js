// Finds the element of an instruction in the live page. Uses window.__odokit of capture.js, so that
// "same role, same name" means the same at run time as in the recording. Returns the element and how
// it was recognised, or the candidates, so that the caller can decide or abstain.
//
// spec: {role, tag, name, pattern, landmarks, xpath, attributes, by, wanted, depth, timeoutMs}; a
// landmark has a loose pattern (its kind) and, when its name tells regions apart, a strict one.
(spec) => {
  const odo = window.__odokit;
  const fold = s => (s || '').replace(/\s+/g, ' ').trim();
  const same = (a, b) => fold(a).toLowerCase() === fold(b).toLowerCase();
  const shown = el => el.isConnected && (!el.checkVisibility || el.checkVisibility()) && el.getClientRects().length > 0;
  const pattern = spec.pattern ? new RegExp(`^(?:${spec.pattern})$`, 'i') : null;
  const whole = p => new RegExp(`^(?:${p})$`, 'i');
  const loose = spec.landmarks.map(l => whole(l.loose));
  const exact = spec.landmarks.map(l => whole(l.pattern || l.loose));
  // The nearest region whose name tells it from others.
  const telling = spec.landmarks.filter(l => l.pattern).map(l => whole(l.pattern)).pop();

  function byXpath(path) {
    return document.evaluate(path, document, null, XPathResult.FIRST_ORDERED_NODE_TYPE, null).singleNodeValue;
  }

  function* deep(root, selector) {
    yield* root.querySelectorAll(selector);
    for (const host of root.querySelectorAll('*')) if (host.shadowRoot) yield* deep(host.shadowRoot, selector);
  }

  // A toggle may be drawn by its label while the input itself is transparent or off-screen.
  const usable = el => shown(el) || (odo.isToggle(el) && [...(el.labels || [])].some(shown)) ||
    (odo.isToggle(el) && el.parentElement && shown(el.parentElement));

  function pool() {
    const found = new Set();
    const known = spec.role && /^(a|button|input|select|textarea|summary|option)$/.test(spec.tag);
    for (const el of deep(document, known ? odo.INTERACTIVE : '*')) {
      if ((spec.role ? odo.role(el) === spec.role : el.localName === spec.tag) && usable(el)) found.add(el);
    }
    const recorded = byXpath(spec.xpath);
    if (recorded && usable(recorded)) found.add(recorded);
    return [...found];
  }

  const fits = (marks, patterns) => marks.length === patterns.length && marks.every((m, i) => patterns[i].test(m));
  const sameRegions = el => fits(odo.landmarks(el), exact);
  const inTelling = el => !telling || odo.landmarks(el).some(m => telling.test(m));
  const innermost = el => {
    const dialogs = [...document.querySelectorAll('dialog[open],[role=dialog],[role=alertdialog],[aria-modal=true]')].filter(shown);
    return !dialogs.length || dialogs.some(d => d.contains(el));
  };
  const tokens = s => new Set(fold(s).toLowerCase().split(/\W+/).filter(Boolean));
  const alike = (a, b) => {
    const x = tokens(a), y = tokens(b);
    const both = [...x].filter(t => y.has(t)).length;
    return both / Math.max(1, Math.max(x.size, y.size));
  };

  // Of several that fit, keep those that also fit a further clue, if any does.
  const prefer = (list, test) => { const kept = list.filter(test); return kept.length ? kept : list; };
  const narrow = list => {
    // Of nested plain elements that say the same, the innermost: a click on it reaches the others.
    if (!spec.role) list = list.filter(el => !list.some(other => other !== el && el.contains(other)));
    // A drawn control and the hidden one it stands for have one role and name, but not one tag.
    if (list.length > 1) list = prefer(list, el => el.localName === spec.tag);
    if (list.length > 1) list = prefer(list, innermost);
    if (list.length > 1) list = list.filter(inTelling); // in a region of another name it is another
    if (list.length > 1) list = prefer(list, sameRegions);
    if (list.length > 1) list = prefer(list, el => fits(odo.landmarks(el), loose));
    if (list.length > 1) list = prefer(list, el => odo.xpath(el) === spec.xpath);
    return list;
  };

  function holds(el, text) {
    const clean = ` ${fold(el.innerText || el.textContent).toLowerCase().replace(/[^\p{L}\p{N}]+/gu, ' ').trim()} `;
    return clean.includes(` ${fold(text).toLowerCase().replace(/[^\p{L}\p{N}]+/gu, ' ').trim()} `);
  }

  // The one candidate whose list item says what is wanted: the smallest ancestor that says so must
  // hold no other candidate.
  function inItem(candidates) {
    const found = [];
    for (const el of candidates) {
      let n = el;
      for (let i = 0; n && i <= spec.depth + 3; i++, n = n.parentElement) {
        if (!holds(n, spec.wanted)) continue;
        if (!candidates.some(other => other !== el && n.contains(other))) found.push(el);
        break;
      }
    }
    return found;
  }

  function named(all) {
    const exact = all.filter(el => same(odo.name(el), spec.name));
    if (exact.length) return exact;
    return pattern ? all.filter(el => pattern.test(fold(odo.name(el)))) : [];
  }

  function attempt() {
    const all = pool();
    if (spec.by === 'item') {
      const alikeNamed = spec.name ? named(all) : all.filter(el => el.localName === spec.tag && !odo.name(el));
      const hits = narrow(inItem(alikeNamed));
      if (hits.length === 1) return {el: hits[0], rung: 'item', confidence: 0.95};
      return {el: null, rung: hits.length ? 'ambiguous' : 'none', confidence: 0, options: alikeNamed};
    }
    const byName = spec.name ? named(all) : [];
    const best = narrow(byName);
    if (best.length === 1) {
      const one = best[0];
      const strict = sameRegions(one);
      if (byName.length > 1 && !inTelling(one)) return {el: null, rung: 'ambiguous', confidence: 0, options: byName};
      if (byName.length === 1) return {el: one, rung: strict ? 'name+regions' : 'name', confidence: strict ? 1 : 0.9};
      return {el: one, rung: 'name+clues', confidence: strict ? 0.95 : 0.8};
    }
    if (byName.length > 1) return {el: null, rung: 'ambiguous', confidence: 0, options: byName};
    if (spec.by === 'name') {
      return {el: null, rung: 'none', confidence: 0, options: all.filter(el => odo.name(el) && sameRegions(el))};
    }
    for (const key of ['data-testid', 'id', 'name']) {
      const value = spec.attributes[key];
      if (!value || /\d{3,}|[0-9a-f]{8,}/i.test(value)) continue;
      const hits = narrow(all.filter(el => el.getAttribute(key) === value && (!spec.name || alike(odo.name(el), spec.name) > 0 || key === 'data-testid')));
      if (hits.length === 1) return {el: hits[0], rung: `attribute ${key}`, confidence: 0.8};
    }
    if (spec.name) {
      const hits = all.filter(el => alike(odo.name(el), spec.name) >= 0.75 && sameRegions(el));
      if (hits.length === 1) return {el: hits[0], rung: 'alike name', confidence: 0.72};
    }
    const recorded = byXpath(spec.xpath);
    if (recorded && usable(recorded) && recorded.localName === spec.tag && odo.role(recorded) === spec.role && !spec.name && !odo.name(recorded)) {
      return {el: recorded, rung: 'xpath', confidence: 0.8};
    }
    return {el: null, rung: 'none', confidence: 0, options: all};
  }

  return new Promise(resolve => {
    const until = performance.now() + spec.timeoutMs;
    let timer = 0, frame = 0, observer = null;
    const done = result => {
      clearTimeout(timer);
      cancelAnimationFrame(frame);
      observer.disconnect();
      const options = (result.options || []).slice(0, 60);
      resolve({element: result.el, rung: result.rung, confidence: result.confidence, nodes: options,
        options: options.map(el => fold(spec.by === 'item' ? (el.closest('tr,li,[role=row],[role=listitem]') || el).innerText : odo.name(el)).slice(0, 200))});
    };
    const look = () => {
      frame = 0;
      const result = attempt();
      const ready = result.el && !(result.el.disabled || result.el.getAttribute('aria-disabled') === 'true');
      if (ready || performance.now() >= until) done(result);
    };
    observer = new MutationObserver(() => { if (!frame) frame = requestAnimationFrame(look); });
    observer.observe(document, {subtree: true, childList: true, attributes: true, characterData: true});
    // Values and styles change without a mutation; look again now and then, and at the deadline.
    const tick = () => { look(); timer = setTimeout(tick, Math.max(20, Math.min(250, until - performance.now()))); };
    tick();
  });
}
