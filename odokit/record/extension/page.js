// The page's end of the bridge, in the page's own world, before capture.js.
//
// Messages leave through events on a node outside the document, which bridge.js hands over while no
// script of the page has run yet. A page has no way to it, so it cannot put words into a recording;
// and it stays when the document is written anew.
(() => {
if (window.__odokit_doc) return;
// What a page redefines later must not redefine us.
const dispatch = EventTarget.prototype.dispatchEvent;
const listen = EventTarget.prototype.addEventListener;
const forget = EventTarget.prototype.removeEventListener;
const Message = window.CustomEvent;
const apply = Reflect.apply;
const doc = [...crypto.getRandomValues(new Uint32Array(3))].map(n => n.toString(36)).join('');
Object.defineProperty(window, '__odokit_doc', {value: doc});

let channel = null;
let isOn = false;
const post = (type, detail) => apply(dispatch, channel, [new Message(type, {detail})]);

// Of the frames that can see each other, the outermost: capture.js knows the way down from there.
function edge() {
  let w = window;
  try {
    while (w !== w.parent && w.frameElement) w = w.parent;
  } catch { /* the parent is of another origin */ }
  return w.__odokit_doc || doc;
}

const out = data => {
  if (isOn) post('told', `{"doc":"${doc}","edge":"${edge()}","data":${data}}`);
};
Object.defineProperty(window, '__odokit_out', {value: out, configurable: true});

async function stop(id) {
  await window.__odokit?.rest();
  isOn = false;
  if (window.__odokit) window.__odokit.snapshots = false;
  post('stopped', id);
}

function greeted(e) {
  if (channel) return;
  channel = e.relatedTarget;
  isOn = true;
  apply(forget, window, ['odokit-hello', greeted, true]);
  apply(listen, channel, ['stop', e => stop(e.detail)]);
  apply(listen, channel, ['go', () => {
    isOn = true;
    if (window.__odokit) window.__odokit.snapshots = true;
  }]);
  post('greeted');
}
apply(listen, window, ['odokit-hello', greeted, true]);
apply(dispatch, window, [new Message('odokit-ready')]); // bridge.js greets now, or when it comes

// A frame cannot see where it stands in a page of another origin; the page around it can.
const frames = () => [...document.querySelectorAll('iframe,frame')];
apply(listen, window, ['message', e => {
  const child = e.data?.odokit_frame;
  if (!child) return;
  e.stopImmediatePropagation();
  const host = frames().find(f => f.contentWindow === e.source);
  if (!host || !window.__odokit) return;
  const {frame, xpath} = window.__odokit.describe(host);
  out(JSON.stringify({kind: 'frame', child, path: [...frame, xpath]}));
}, true]);
const isEdge = () => { try { return !window.frameElement; } catch { return true; } };
if (window !== window.parent && isEdge()) window.parent.postMessage({odokit_frame: doc}, '*');
})();
