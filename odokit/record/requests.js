// Tells the host what the browser does not tell it of a request: which script sends it, and the body
// where it holds files. Nothing is changed or held up.
(() => {
const odo = window.__odokit;
if (odo.tellsRequests) return;
odo.tellsRequests = true;

function fields(form) {
  const found = {};
  for (const [key, value] of form) {
    const plain = value instanceof File ? {file: value.name, bytes: value.size} : value;
    found[key] = key in found ? [].concat(found[key], [plain]) : plain;
  }
  return found;
}

function tell(method, url, body) {
  method = String(method || 'GET').toUpperCase();
  if (/^(GET|HEAD|OPTIONS)$/.test(method)) return;
  // The innermost place that has an address is the page's own.
  const line = (new Error().stack || '').split('\n').find(l => /https?:/.test(l)) || '';
  odo.post({kind: 'sent', method, url: new URL(url, document.baseURI).href,
    initiator: odo.redactUrl(line.match(/https?:[^\s)]+/)?.[0] || ''),
    body: body instanceof FormData ? odo.redact(fields(body)) : null});
}

// What cannot be told must not disturb the page: its own call fails by itself.
const quietly = (...request) => { try { tell(...request); } catch { /* no address */ } };

const {fetch} = window, {open, send} = XMLHttpRequest.prototype, opened = new WeakMap();
window.fetch = function (input, init) {
  quietly(init?.method || input?.method, input?.url || input, init?.body);
  return fetch.apply(this, arguments);
};
XMLHttpRequest.prototype.open = function (method, url) {
  opened.set(this, [method, url]);
  return open.apply(this, arguments);
};
XMLHttpRequest.prototype.send = function (body) {
  quietly(...opened.get(this) || [], body);
  return send.apply(this, arguments);
};
})();
