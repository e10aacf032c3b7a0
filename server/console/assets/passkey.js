// Passkeys: a form with data-passkey="get" or "create" asks the browser for one, puts its
// answer into the field "answer" and sends itself. data-options has the options of WebAuthn.

const form = document.querySelector('form[data-passkey]');

const bytes = (text) => Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (c) => c.charCodeAt(0));
const text = (buffer) => btoa(String.fromCharCode(...new Uint8Array(buffer))).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');

function options() {
  const o = JSON.parse(form.dataset.options);
  o.challenge = bytes(o.challenge);
  if (o.user) o.user.id = bytes(o.user.id);
  for (const list of [o.allowCredentials, o.excludeCredentials]) {
    for (const one of list ?? []) one.id = bytes(one.id);
  }
  return o;
}

function send(credential) {
  const response = {};
  for (const part of ['clientDataJSON', 'attestationObject', 'authenticatorData', 'signature', 'userHandle']) {
    if (credential.response[part]) response[part] = text(credential.response[part]);
  }
  if (credential.response.getTransports) response.transports = credential.response.getTransports();
  form.elements.answer.value = JSON.stringify({
    id: credential.id, rawId: text(credential.rawId), type: credential.type, response,
    clientExtensionResults: credential.getClientExtensionResults(), authenticatorAttachment: credential.authenticatorAttachment ?? undefined,
  });
  form.submit();
}

function failed(error) {
  if (error.name === 'AbortError') return;
  const said = form.querySelector('[data-failed]');
  said.hidden = false;
}

let waiting = new AbortController();

async function ask(event) {
  event.preventDefault();
  waiting.abort(); // of the suggestions in the field of the address
  waiting = new AbortController();
  const how = { publicKey: options(), signal: waiting.signal };
  try {
    send(await navigator.credentials[form.dataset.passkey](how));
  } catch (error) {
    failed(error);
  }
}

async function suggest() {
  if (form.dataset.passkey !== 'get' || !(await PublicKeyCredential.isConditionalMediationAvailable?.())) return;
  try {
    send(await navigator.credentials.get({ publicKey: options(), mediation: 'conditional', signal: waiting.signal }));
  } catch {
    // The person types an address, or presses the button.
  }
}

if (form && window.PublicKeyCredential) {
  for (const hidden of document.querySelectorAll('[data-with-passkey]')) hidden.hidden = false;
  form.addEventListener('submit', ask);
  suggest();
}
