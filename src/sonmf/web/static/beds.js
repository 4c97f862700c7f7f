/* Beds by the hour: the file goes to the server, which draws what comes of it; the figures can be kept as JSON. */
import { byId, counted, make, parsed, percent, pieces } from "./app.js";
import { uploader } from "./upload.js";

let beds = null;

const sending = uploader({
  path: "beds/hours",
  fields: ["time", "until", "by", "text", "group"],
  settings: ["order", "zone", "every", "window", "stay", "now"],
  begin: () => (beds = null),
  line: (found) => {
    if (found.beds) return show(found);
    if (found.file) return "Scoring …";
    return found.share < 1
      ? `${counted(found.patients)} patients scored, ${percent(found.share)} of the file`
      : "Looking ahead and back …";
  },
});

function show(found) {
  beds = found.beds;
  byId("drawn").replaceChildren(...pieces(parsed(found.drawn)));
  byId("result").hidden = false;
  byId("result").scrollIntoView({ block: "nearest" });
}

byId("download").addEventListener("click", () => {
  const address = URL.createObjectURL(new Blob([JSON.stringify(beds, null, 1), "\n"], { type: "application/json" }));
  make("a", { href: address, download: `${sending.name().replace(/(\.[a-z]{2,7}){1,2}$/i, "")}-beds.json` }).click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
});
