/**
 * The script of the page of the API: it sends the request of a form, and shows the response below it. Examples get the address of the
 * page's own folder, which a proxy or an application around this one may have named.
 */
export const tryScript = `
const folder = new URL('.', location.href).href.replace(/\\/$/, '').replaceAll("'", '%27');
for (const each of document.querySelectorAll('.origin')) each.textContent = folder;
for (const form of document.querySelectorAll('form')) {
  form.hidden = false;
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const { method, path, type } = form.dataset;
    const { value } = form.elements.sent;
    const shown = form.querySelector('output');
    shown.textContent = 'Waiting for the response';
    try {
      const response = await (path
        ? fetch(path, { method, headers: { 'content-type': type }, body: value })
        : fetch(value));
      const text = await response.text();
      let body = text;
      try {
        body = JSON.stringify(JSON.parse(text), null, 2);
      } catch {}
      shown.textContent = response.status + ' ' + response.statusText + '\\n' + body.slice(0, 100000);
    } catch (error) {
      shown.textContent = 'The request failed: ' + error.message;
    }
  });
}
`;

/** The policy of the page: its style, this script and requests to its own server, and nothing else. */
export async function tryPolicy(): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(tryScript));
  const hash = btoa(String.fromCharCode(...new Uint8Array(digest)));
  return `default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'sha256-${hash}'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
}
