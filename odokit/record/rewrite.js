// Documents that are replaced under the recorder. One that is written anew (document.open,
// document.write), as some editors do in their frame, forgets who listened to it. A popup's window
// stays when its blank document gives way to the page, and not every event of its loading reaches
// who was there before; so each further event is a chance to observe it.
(() => {
const odo = window.__odokit;
if (odo.renew) return;
for (const way of ['open', 'write', 'writeln']) {
  const own = Document.prototype[way];
  Document.prototype[way] = function (...said) {
    const made = own.apply(this, said);
    if (this === document) odo.listen();
    return made;
  };
}
let observed = document;
odo.renew = () => {
  if (observed === document) return;
  observed = document;
  odo.watch(document);
  odo.listen();
};
for (const type of ['readystatechange', 'DOMContentLoaded', 'load', 'pointerover', 'pointerdown', 'focusin', 'keydown']) {
  window.addEventListener(type, odo.renew, {capture: true, passive: true});
}
})();
