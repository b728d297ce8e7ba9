// Tells which writes the scripts of a page send, and what they are answered.
//
// An extension can see requests, but not what they are answered; so fetch, XMLHttpRequest, beacons
// and forms are listened to where a page uses them. Nothing is changed or held up. All that leaves
// goes through the same redaction as what is typed.
(() => {
const out = window.__odokit_out; // capture.js, which comes next, hides it
if (!out || window.__odokit) return;
const redact = value => window.__odokit.redact(value);
const redactUrl = url => window.__odokit.redactUrl(url);
const READS = new Set(['GET', 'HEAD', 'OPTIONS']);
const MAX_ANSWER = 65536;
let count = 0;

const now = () => performance.timeOrigin + performance.now();
const pageUrl = () => { try { return window.top.location.href; } catch { return location.href; } };
const send = message => out(JSON.stringify({at: now(), ...message}));
const absolute = url => { try { return new URL(url, document.baseURI).href; } catch { return String(url); } };

// --- bodies
function fields(entries) {
  const found = {};
  for (const [key, value] of entries) {
    const plain = value instanceof File ? {file: value.name, bytes: value.size} : value;
    found[key] = key in found ? [].concat(found[key], [plain]) : plain;
  }
  return found;
}

function parsed(text, type) {
  if (!text) return null;
  if (type === 'application/x-www-form-urlencoded') return fields(new URLSearchParams(text));
  if (!/^\s*[[{]/.test(text) && !type.includes('json')) return text;
  try { return JSON.parse(text); } catch { return text; }
}

const media = type => (type || '').split(';')[0].trim().toLowerCase();

// The body and its media type, at once or as a promise; the browser names the type itself when no
// header does.
function read(body, type) {
  if (body == null) return {body: null, type};
  if (body instanceof FormData) return {body: fields(body), type: 'multipart/form-data'};
  if (body instanceof URLSearchParams) return {body: fields(body), type: type || 'application/x-www-form-urlencoded'};
  if (body instanceof Blob) return body.text().then(text => read(text, type || media(body.type)));
  if (body instanceof ArrayBuffer || ArrayBuffer.isView(body)) return read(new TextDecoder().decode(body), type);
  if (body instanceof Document) return {body: new XMLSerializer().serializeToString(body), type: type || 'text/html'};
  if (body instanceof ReadableStream) return {body: null, type};
  type ||= 'text/plain';
  return {body: parsed(String(body), type), type};
}

// --- what is told
// The last place in the page's own code that led to the request.
function initiator() {
  const lines = (new Error().stack || '').split('\n').filter(l => /https?:/.test(l));
  return redactUrl((lines[0] || '').match(/https?:[^\s)]+/)?.[0] || '');
}

// What we cannot read must not disturb the page.
function quietly(work) {
  try { return work(); } catch (error) {
    send({kind: 'gap', what: `a request could not be read (${error.name})`});
    return null;
  }
}

function tell(method, url, content, resource_type) {
  method = String(method || 'GET').toUpperCase();
  url = absolute(url);
  if (READS.has(method) || !/^https?:/.test(url)) return null;
  const id = ++count;
  const request = {kind: 'request', id, at: now(), url: redactUrl(pageUrl()), method,
    request_url: redactUrl(url), resource_type, initiator: initiator()};
  const finish = ({body, type}) => send({...request, content_type: type, body: redact(body)});
  const unread = () => finish({body: null, type: ''});
  if (content instanceof Promise) content.then(finish, unread); else finish(content);
  return id;
}

function answered(id, status, type, text, location = '') {
  const isRead = media(type).includes('json') && text && text.length <= MAX_ANSWER;
  send({kind: 'response', id, status, location, body: isRead ? redact(parsed(text, 'json')) : null});
}

// --- fetch
const fetchOf = window.fetch;
async function tellAnswer(id, promise) {
  let answer = null;
  try { answer = await promise; } catch { return answered(id, 0); }
  const type = answer.headers.get('content-type') || '';
  if (answer.bodyUsed || !media(type).includes('json')) return answered(id, answer.status, type);
  const copy = answer.clone();
  answered(id, answer.status, type, await copy.text().catch(() => ''));
}

function tellFetch(input, init) {
  if (!(input instanceof Request)) {
    const type = media(new Headers(init?.headers || {}).get('content-type'));
    return tell(init?.method, input, read(init?.body, type), 'fetch');
  }
  const method = init?.method || input.method;
  if (READS.has(method.toUpperCase())) return null;
  const type = media(input.headers.get('content-type'));
  const body = init?.body ?? input.clone().text();
  return tell(method, input.url, body instanceof Promise ? body.then(t => read(t, type)) : read(body, type), 'fetch');
}

window.fetch = function fetch(input, init) {
  const id = quietly(() => tellFetch(input, init));
  const promise = Reflect.apply(fetchOf, this, arguments);
  if (id) tellAnswer(id, promise);
  return promise;
};

// --- XMLHttpRequest
const calls = new WeakMap();
const {open, send: sendOf, setRequestHeader} = XMLHttpRequest.prototype;

XMLHttpRequest.prototype.open = function (method, url) {
  calls.set(this, {method, url, type: ''});
  return Reflect.apply(open, this, arguments);
};

XMLHttpRequest.prototype.setRequestHeader = function (key, value) {
  const call = calls.get(this);
  if (call && String(key).toLowerCase() === 'content-type') call.type = media(String(value));
  return Reflect.apply(setRequestHeader, this, arguments);
};

function textOf(xhr) {
  if (xhr.responseType === '' || xhr.responseType === 'text') return xhr.responseText;
  if (xhr.responseType === 'json') return JSON.stringify(xhr.response);
  return xhr.responseType === 'arraybuffer' && xhr.response ? new TextDecoder().decode(xhr.response) : '';
}

XMLHttpRequest.prototype.send = function (body) {
  const call = calls.get(this);
  const id = call && quietly(() => tell(call.method, call.url, read(body, call.type), 'xhr'));
  if (id) {
    this.addEventListener('loadend', () =>
      answered(id, this.status, this.getResponseHeader('content-type'), textOf(this)), {once: true});
  }
  return Reflect.apply(sendOf, this, arguments);
};

// --- beacons
const beacon = navigator.sendBeacon;
navigator.sendBeacon = function (url, data) {
  quietly(() => tell('POST', url, read(data, ''), 'ping'));
  return Reflect.apply(beacon, this, arguments);
};

// --- forms that navigate: the background sees that one was sent, this what was in it
let submitter = null;
window.addEventListener('submit', e => { submitter = e.submitter; }, true);
function onFormData(e) {
  const form = e.target, by = submitter?.form === form ? submitter : null;
  submitter = null;
  const own = (key, otherwise) => by?.getAttribute('form' + key) || form.getAttribute(key) || otherwise;
  if (own('method', 'get').toLowerCase() !== 'post') return;
  send({kind: 'form', url: redactUrl(pageUrl()), request_url: redactUrl(absolute(own('action', location.href))),
    content_type: own('enctype', 'application/x-www-form-urlencoded'), body: redact(fields(e.formData))});
}
window.addEventListener('formdata', e => quietly(() => onFormData(e)));
})();
