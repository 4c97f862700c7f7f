/* Questions to the server. An error has the code and the sentence that the API gives; decide on the code, show the sentence. */

export async function request(path, options) {
  const response = await answered(path.startsWith("/") ? path : `/api/v1/${path}`, options);
  const kind = response.headers.get("content-type") ?? "";
  if (response.status === 503 && kind.startsWith("text/plain"))
    throw new Error("too many are connected: try again in a minute");
  return response;
}

async function answered(path, options) {
  try {
    return await fetch(path, options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Error("the server does not answer: is `sonmf serve` still running?");
  }
}

export const problem = ({ code, message, columns }) => Object.assign(new Error(message), { code, columns });

export async function readAnswer(response) {
  const answer = await response.json();
  if (!response.ok) throw problem(answer);
  return answer;
}

export const getJson = async (path, parameters = {}, signal) =>
  readAnswer(await request(`${path}?${new URLSearchParams(parameters)}`, { signal }));

export const sendJson = async (path, fields, { method = "POST", signal } = {}) =>
  readAnswer(
    await request(path, {
      method,
      signal,
      headers: { "content-type": "application/json" },
      body: JSON.stringify(fields),
    }),
  );

/* A part of a page as the server draws it; scripts in it do not run. */
export async function getHtml(path, parameters, signal) {
  const response = await request(`${path}?${new URLSearchParams(parameters)}`, { signal });
  const found = parseHtml(await response.text());
  if (!response.ok) throw new Error(found.querySelector("main p").textContent);
  return found;
}

export const parseHtml = (html) => new DOMParser().parseFromString(html, "text/html");

/* Only the newest question counts: an older one that is still under way is dropped, and so is its answer. */
export function latestOnly(question, wait = 0) {
  let timer;
  let controller;
  return (...asked) => {
    clearTimeout(timer);
    controller?.abort();
    controller = new AbortController();
    const { signal } = controller;
    timer = setTimeout(async () => {
      try {
        await question(signal, ...asked);
      } catch (error) {
        if (error.name !== "AbortError") throw error;
      }
    }, wait);
  };
}
