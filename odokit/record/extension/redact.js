// What the background itself learns is redacted by the rules that the pages use (rules.js).
const {key: KEY, rules: RULES} = globalThis.__odokit_rules;
const key = new RegExp(KEY, 'i');
const rules = RULES.map(([name, pattern]) => [name, new RegExp(pattern, 'gi')]);

// The check digit of a card's number (Luhn).
const isCard = text => [...text.replace(/\D/g, '')].reverse().reduce((sum, digit, i) => {
  const n = digit * (1 + i % 2);
  return sum + (n > 9 ? n - 9 : n);
}, 0) % 10 === 0;

const plain = text => { try { return decodeURIComponent(text); } catch { return text; } };

/** An address, whole or relative, without the secrets in it, known by their names or their looks. */
export function redactUrl(url) {
  const named = url.replace(/([?&])([^=&#]+)=([^&#]+)/g, (all, mark, name) =>
    key.test(plain(name)) ? `${mark}${name}={{secret:${plain(name)}}}` : all);
  return rules.reduce((text, [name, pattern]) => text.replace(pattern,
    (all, kept) => name === 'card' && !isCard(all) ? all : `${kept}{{secret:${name}}}`), named);
}

function spellings(secret) {
  const json = JSON.stringify(secret).slice(1, -1);
  const html = secret.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
  const percent = encodeURIComponent(secret);
  return [...new Set([secret, json, html, JSON.stringify(html).slice(1, -1),
    html.replace(/"/g, '&quot;'), percent, percent.replace(/%20/g, '+')])].sort((a, b) => b.length - a.length);
}

/** A text, or a line of JSON, without words that the person named, however they are spelt there. */
export function scrub(text, secrets) {
  for (const secret of secrets) {
    for (const form of spellings(secret)) text = text.replaceAll(form, '{{secret:known}}');
  }
  return text;
}
