/* Beds by the hour: the file goes to the server, which draws what comes of it; the figures can be kept as JSON. */
import { parseHtml } from "./api.js";
import { byId, download, nodesWithCharts } from "./app.js";
import { counted, percent } from "./format.js";
import { uploader } from "./upload.js";

let beds = null;

const upload = uploader({
  path: "beds/hours",
  fields: ["time", "until", "by", "text", "group"],
  settings: ["order", "zone", "every", "window", "stay", "now"],
  begin: () => {
    beds = null;
  },
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
  byId("drawn").replaceChildren(...nodesWithCharts(parseHtml(found.drawn)));
  byId("result").hidden = false;
  byId("result").scrollIntoView({ block: "nearest" });
}

byId("download").addEventListener("click", () =>
  download(upload.fileName(), "beds.json", JSON.stringify(beds, null, 1), "application/json"),
);
