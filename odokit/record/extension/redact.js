// What the background itself learns is redacted by the rules that the pages use (rules.js).
const KEY = new RegExp(globalThis.__odokit_rules.key, 'i');

/** An address without the secrets in its query, by their names. */
export function redactUrl(url) {
  let parts;
  try { parts = new URL(url); } catch { return ''; }
  let isSecret = false;
  for (const [key, value] of [...parts.searchParams]) {
    if (!value || !KEY.test(key)) continue;
    parts.searchParams.set(key, `{{secret:${key}}}`);
    isSecret = true;
  }
  return isSecret ? parts.href : url;
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
