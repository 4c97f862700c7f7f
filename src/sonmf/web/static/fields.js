/* Fields for what is known beside the note: one a column of the model, as it was given to the fit. */
import { getJson } from "./api.js";
import { byId, make } from "./app.js";

const OTHER = "(other)";
const kept = new Map(); // what was typed, by column: it stays when another complaint is chosen
let models = null; // every model with its columns, once they are asked for

/* The fields of a complaint; changed() is called when a value is typed. */
export async function show(complaint, changed) {
  models ??= (await getJson("complaints")).complaints;
  const { columns } = models.find((one) => one.name === complaint);
  const [given, measured] = [false, true].map((is) => columns.filter((column) => column.measured === is));
  byId("given").hidden = !given.length;
  byId("measured").hidden = !measured.length;
  byId("given").replaceChildren(
    byId("given").querySelector("legend"),
    ...given.map((column) => field(column, changed)),
  );
  byId("measured")
    .querySelector(".fields")
    .replaceChildren(...measured.map((column) => field(column, changed)));
}

function field(column, changed) {
  const id = `column-${column.name}`;
  const input = control(column, id);
  input.dataset.column = column.name;
  input.dataset.empty = column.measured ? "not in the note" : usual(column);
  input.value = kept.get(column.name) ?? "";
  input.addEventListener("input", () => {
    kept.set(column.name, input.value);
    changed();
  });
  const label = make(
    "label",
    { for: id },
    column.label,
    column.unit ? make("span", { class: "muted" }, ` (${column.unit})`) : null,
  );
  return make("div", { class: `field ${column.kind}` }, label, input);
}

function control(column, id) {
  if (column.kind === "category") {
    const options = column.levels.map((level, place) =>
      make("option", { value: level }, level === OTHER ? "other" : column.level_names[place]),
    );
    return make("select", { id, autocomplete: "off" }, make("option", { value: "" }, usual(column)), ...options);
  }
  if (column.kind === "text") return make("textarea", { id, rows: 2, autocomplete: "off", spellcheck: "false" });
  return make("input", {
    id,
    type: "number",
    step: "any",
    inputmode: "decimal",
    autocomplete: "off",
    placeholder: usual(column),
  });
}

/* What a field shows before anything is typed. */
const usual = (column) => (column.kind === "category" ? "–" : column.usual);

/* A value for each field that is filled; the others are not given. */
export function values() {
  const filled = [...document.querySelectorAll("[data-column]")].filter((input) => input.value.trim());
  return Object.fromEntries(
    filled.map((input) => [input.dataset.column, input.type === "number" ? input.valueAsNumber : input.value]),
  );
}

/* A field that is left empty shows what was read from the note: for a column of the table, too, that value counts. */
export function showRead(columns) {
  const read = new Map(columns.filter(({ measured }) => measured).map((column) => [column.name, column]));
  for (const input of document.querySelectorAll("[data-column]")) {
    const column = read.get(input.dataset.column);
    const text = column ? `${column.shown} in the note` : input.dataset.empty;
    if (input.tagName === "SELECT") input.options[0].textContent = text;
    else input.placeholder = text;
  }
}
