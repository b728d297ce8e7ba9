// Changes a page at random, in every way a page may change, and tells after each change what the
// recorder's script makes of it: kept up, and written anew.
async ([seed, rounds]) => {
  let state = seed + 1;
  const random = n => { state = state * 48271 % 2147483647; return state % n; };
  const pick = list => list[random(list.length)];
  const words = ['Name', 'Password', 'a & b', '<i>', '"q"', 'hush-hush', 'é😀', '4111111111111111', 'x'];
  const roots = [document.body];
  const all = () => roots.flatMap(r => [...r.querySelectorAll('*')]).filter(n => !/^(script|style|head|title)$/.test(n.localName));
  const detached = [];
  const make = () => {
    const el = document.createElement(pick(['div', 'p', 'input', 'label', 'textarea', 'span', 'br', 'style', 'x-card']));
    if (el.localName === 'input') { el.type = pick(['text', 'password', 'checkbox']); el.setAttribute('value', pick(words)); }
    else el.append(pick(words));
    if (random(2)) el.setAttribute(pick(['name', 'title', 'data-token']), pick(words) + random(99));
    return el;
  };
  const changes = {
    add: () => pick(all()).append(make()),
    addFirst: () => document.body.prepend(make(), pick(words)),
    remove: () => pick(all()).remove(),
    move: () => { const [a, b] = [pick(all()), pick(all())]; if (!a.contains(b)) b.append(a); },
    attribute: () => pick(all()).setAttribute(pick(['class', 'id', 'name', 'style', 'value', 'onclick', 'aria-label']), pick(words)),
    unset: () => { const el = pick(all()); for (const a of [...el.attributes]) el.removeAttribute(a.name); },
    text: () => { const el = pick(all()); if (el.firstChild?.nodeType === 3) el.firstChild.data = pick(words) + random(9); },
    split: () => { const el = pick(all()); if (el.firstChild?.nodeType === 3 && el.firstChild.length > 1) el.firstChild.splitText(1); },
    type: () => { const el = pick(all().filter(n => n.localName === 'input')); if (el) el.type = el.type === 'password' ? 'text' : 'password'; },
    label: () => { const el = pick(all().filter(n => n.localName === 'label')); if (el?.firstChild?.nodeType === 3) el.firstChild.data = pick(['Name', 'Password']); },
    wrap: () => { const el = pick(all()), label = document.createElement('label'); el.before(label); label.append(pick(words), el); },
    html: () => { pick(all()).innerHTML = `<b>${random(9)}</b><input value="${random(9)}"> hush-hush`; },
    shadow: () => {
      const host = pick(all().filter(n => /^(div|p|span|x-card)$/.test(n.localName) && !n.shadowRoot));
      if (!host) return;
      const root = host.attachShadow({mode: 'open'});
      root.append(make(), pick(words));
      roots.push(root);
    },
    detach: () => { const el = pick(all()); el.remove(); detached.push(el); },
    changeDetached: () => { const el = pick(detached); if (el) { el.append(make()); el.title = pick(words); } },
    attach: () => { const el = detached.pop(); if (el) pick(all()).append(el); },
    root: () => document.documentElement.setAttribute('class', pick(words)),
    body: () => { const body = document.createElement('body'); body.append(...document.body.childNodes); document.body.replaceWith(body); roots[0] = body; },
  };
  const states = [];
  for (let i = 0; i < rounds; i++) {
    if (all().length < 8) document.body.append(make(), make(), make());
    const did = [];
    for (let j = random(4); j >= 0; j--) {
      const which = pick(Object.keys(changes));
      did.push(which);
      changes[which]();
      if (!random(3)) await 0; // sometimes the observer hears of it at once, sometimes of several
    }
    const name = __odokit.snapshot();
    const root = document.documentElement;
    states.push({name, did, html: __odokit.serialize(root), anew: __odokit.serialize(root, new WeakMap())});
  }
  return states;
}
