// A document that is written anew (document.open, document.write), as some editors do in their frame,
// forgets who listened to it; the recorder's listeners come back.
(() => {
const odo = window.__odokit;
if (odo.isBack) return;
odo.isBack = true;
for (const way of ['open', 'write', 'writeln']) {
  const own = Document.prototype[way];
  Document.prototype[way] = function (...said) {
    const made = own.apply(this, said);
    if (this === document) odo.listen();
    return made;
  };
}
})();
