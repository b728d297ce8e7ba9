// What the pages share: requests, routes, and the drift switches that redesign a page.
//
//   ids      every id and class gets another name
//   wrap     buttons, forms, lists and fieldsets get a div around them
//   move     [data-panel] goes from main into an aside before it
//   label    [data-other] shows that text instead of its own
//   reorder  [data-list] shows its items the other way round
//   twin     [data-twin] is there twice
//   gone     [data-twin] is not there
//   corrupt  every text loses its last letter on the way to the server
//   extra    every write is preceded by DELETE /api/everything
(() => {
  const cookie = document.cookie.match(/(?:^|; )drift=([\w.]*)/);
  const drift = new Set(cookie ? cookie[1].split('.') : []);
  const corrupted = v => typeof v === 'string' ? v.slice(0, -1) : v && typeof v === 'object'
    ? Object.fromEntries(Object.entries(v).map(([k, x]) => [k, corrupted(x)])) : v;
  const each = (root, selector, change) => [...root.querySelectorAll(selector)].forEach(change);

  function redesign(root) {
    if (drift.has('twin')) each(root, '[data-twin]', el => { el.after(el.cloneNode(true)); });
    if (drift.has('gone')) each(root, '[data-twin]', el => el.remove());
    if (drift.has('label')) each(root, '[data-other]', el => { el.textContent = el.dataset.other; });
    if (drift.has('reorder')) each(root, '[data-list]', el => el.append(...[...el.children].reverse()));
    if (drift.has('move')) each(root, '[data-panel]', el => {
      const aside = document.createElement('aside');
      aside.append(el);
      document.body.prepend(aside);
    });
    if (drift.has('wrap')) each(root, 'button,form,ul,fieldset,table', el => {
      const box = document.createElement('div');
      el.replaceWith(box);
      box.append(el);
    });
    if (drift.has('ids')) {
      const renamed = id => id && id.split(' ').map(i => `z${[...i].reduce((h, c) => h * 31 + c.charCodeAt() | 0, 7) >>> 0}`).join(' ');
      for (const key of ['id', 'for', 'class', 'aria-labelledby']) {
        each(root, `[${key}]`, el => el.setAttribute(key, renamed(el.getAttribute(key))));
      }
    }
  }

  const site = window.site = {
    drift,
    find: selector => document.querySelector(selector),
    async send(method, path, body) {
      if (drift.has('extra')) await fetch('/api/everything', {method: 'DELETE'}).catch(() => 0);
      const answer = await fetch(path, {method, headers: {'Content-Type': 'application/json'},
        body: body === undefined ? undefined : JSON.stringify(drift.has('corrupt') ? corrupted(body) : body)});
      await answer.json();
      site.say(answer.ok ? 'Saved' : 'Failed');
      return answer;
    },
    say(text) {
      let status = site.find('[role=status]');
      if (!status) {
        status = document.createElement('p');
        status.setAttribute('role', 'status');
        document.body.append(status);
      }
      status.textContent = text;
    },
    load: (table, ms = 0) => fetch(`/api/${table}?ms=${ms}`).then(r => r.json()),
    // Puts html into an element, redesigned like the rest.
    put(el, html) { el.innerHTML = html; redesign(el); return el; },
    submit(form, handle) {
      form.addEventListener('submit', e => { e.preventDefault(); handle(Object.fromEntries(new FormData(form)), form); });
    },
    on(selector, handle, type = 'click') {
      document.addEventListener(type, e => {
        const el = e.target.closest && e.target.closest(selector);
        if (el) handle(el, e);
      });
    },
    ready(start) {
      document.addEventListener('DOMContentLoaded', () => { redesign(document.body); start(); });
    },
  };
})();
