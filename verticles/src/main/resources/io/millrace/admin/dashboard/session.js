// Who looks, and requests in his name. The token goes into the Authorization header alone: no cookie, no address.

const KEEP = "millrace.token";
let onRefused = () => {};

export function whenRefused(handler) {
  onRefused = handler;
}

export function hasToken() {
  return sessionStorage.getItem(KEEP) !== null;
}

export function signIn(token) {
  sessionStorage.setItem(KEEP, token);
}

export function signOut() {
  sessionStorage.removeItem(KEEP);
}

export class Refused extends Error {
  constructor(status, detail) {
    super(detail);
    this.status = status;
  }

  // Who is not known, or may not look, will not be let in by asking again.
  isFinal() {
    return this.status === 401 || this.status === 403;
  }
}

async function problem(answer) {
  try {
    const body = await answer.json();
    return body.detail || `${answer.status} ${answer.statusText}`;
  } catch {
    return `${answer.status} ${answer.statusText}`;
  }
}

// Sends a request with the token, if there is one. Fails with Refused for any answer that is not a success.
export async function request(path, options = {}) {
  const headers = {...options.headers};
  const token = sessionStorage.getItem(KEEP);
  if (token !== null) {
    headers.Authorization = `Bearer ${token}`;
  }
  const answer = await fetch(path, {...options, headers, credentials: "omit", redirect: "error"});
  if (answer.ok) {
    return answer;
  }
  const refused = new Refused(answer.status, await problem(answer));
  const isWholeApiRefused = answer.status === 401 || (answer.status === 403 && path === "events");
  if (isWholeApiRefused && sessionStorage.getItem(KEEP) === token) {
    signOut();
    onRefused(token === null ? "" : refused.message);
  }
  throw refused;
}

export async function get(path) {
  return (await request(path)).json();
}

export async function post(path, body) {
  const options = {method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify(body)};
  return (await request(path, options)).json();
}
