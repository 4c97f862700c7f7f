/* The charts of the pages and of the files, by the name that a template gives them. */
import { arrivalRates, bedsByHour, observedByHour, pit } from "./beds.js";
import { effectOfNumber } from "./columns.js";
import { compass } from "./compass.js";
import { topicMap } from "./map.js";
import { control } from "./monitor.js";
import { byTopics, calibration, convergence, merit, roc } from "./quality.js";
import { thresholds } from "./thresholds.js";
import { months, tradeOffs } from "./together.js";
import { contributions, ranking, topicBars } from "./topics.js";

export const CHARTS = Object.freeze({
  arrivalRates,
  bedsByHour,
  byTopics,
  calibration,
  compass,
  contributions,
  control,
  convergence,
  effectOfNumber,
  merit,
  months,
  observedByHour,
  pit,
  ranking,
  roc,
  thresholds,
  topicBars,
  topicMap,
  tradeOffs,
});
