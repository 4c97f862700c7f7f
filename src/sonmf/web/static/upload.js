/* A file that goes to the server, from the field or dropped anywhere on the page; the answer comes a line at a time. What the
   columns of the file are is offered in lists, and a change of any field asks again. */
import { problem, readAnswer, request } from "./api.js";
import { byId, make, notice } from "./app.js";
import { counted } from "./format.js";

/* fields: ids of the lists of columns; settings: ids of what else is asked. line(found) takes an object of the answer, and returns a
   sentence on how far it is, or nothing for the last one. */
export function uploader({ path, fields, settings = [], begin, line }) {
  const limit = Number(byId("form").dataset.limit);
  let running = null;
  let chosen = null;

  const asked = () => Object.fromEntries([...fields, ...settings].map((id) => [id, byId(id).value]));

  /* "" leaves it to the server. */
  function offer(columns, read = {}) {
    for (const id of fields) {
      const [usual] = byId(id).options;
      byId(id).replaceChildren(usual, ...columns.map((name) => make("option", { value: name }, name)));
      byId(id).value = columns.includes(read[id]) ? read[id] : "";
    }
  }

  async function choose(file) {
    offer([]);
    await send(file, { first: "yes" });
  }

  async function send(file, more = {}) {
    stop();
    if (file.size > limit)
      return showMessage(
        `${file.name} is larger than ${counted(limit)} bytes: split it, or start \`sonmf serve\` with --max-list`,
      );
    const controller = new AbortController();
    [running, chosen] = [controller, file];
    byId("message").replaceChildren();
    byId("result").hidden = true;
    byId("progress").hidden = false;
    byId("bar").value = 0;
    byId("progress-text").textContent = `Reading ${file.name} …`;
    begin();
    try {
      await follow(await sent(file, more, controller.signal), controller);
    } catch (error) {
      if (running !== controller) return;
      const lacksColumn = error.code === "missing_column";
      if (lacksColumn) offer(error.columns, asked());
      end(error.name === "AbortError" ? null : error.message, lacksColumn);
    }
  }

  async function sent(file, more, signal) {
    const query = new URLSearchParams({ name: file.name, ...asked(), ...more });
    const headers = { "content-type": "application/octet-stream" };
    const response = await request(`${path}?${query}`, { method: "POST", headers, body: file, signal });
    return response.ok ? response : readAnswer(response);
  }

  async function follow(response, controller) {
    for await (const found of lines(response.body)) {
      if (running !== controller) return;
      if (found.error) throw problem(found.error);
      if (found.file) offer(found.file.columns, found.file);
      const told = line(found);
      if (!told) return end(null);
      if (found.share !== undefined) byId("bar").value = found.share;
      byId("progress-text").textContent = told;
    }
    throw new Error("the answer broke off: try again");
  }

  function stop() {
    running?.abort();
    running = null;
  }

  function end(sentence, choose) {
    running = null;
    byId("progress").hidden = true;
    if (sentence) showMessage(sentence, choose);
  }

  const drop = byId("drop");
  for (const kind of ["dragover", "dragleave", "drop"]) {
    document.addEventListener(kind, (event) => {
      event.preventDefault(); // a file dropped beside the field must not replace the page
      drop.classList.toggle("over", kind === "dragover");
      if (kind === "drop" && event.dataTransfer.files.length) choose(event.dataTransfer.files[0]);
    });
  }
  byId("file").addEventListener("change", (event) => event.target.files.length && choose(event.target.files[0]));
  byId("file").addEventListener("click", (event) => {
    event.target.value = ""; // the same file may be chosen again
  });
  byId("form").addEventListener("submit", (event) => event.preventDefault());
  byId("cancel").addEventListener("click", () => {
    stop();
    end(null);
  });
  for (const id of [...fields, ...settings]) byId(id).addEventListener("change", () => chosen && send(chosen));
  return { fileName: () => chosen.name };
}

/* choose: the file lacks a column, and the lists above offer those that it has. */
export function showMessage(sentence, choose = false) {
  byId("message").replaceChildren(notice(choose ? `${sentence}. Choose the column in the list above.` : sentence));
  if (choose) byId("columns").open = true;
}

async function* lines(stream) {
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const found = (rest + value).split("\n");
    rest = found.pop();
    for (const line of found) yield JSON.parse(line);
  }
}
