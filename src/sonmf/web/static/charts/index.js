/* The charts of the pages and of the files, by the name that a template gives them. */
import { arrivalRates, bedsByHour, observedByHour, pit } from "./beds.js";
import { effectOfNumber } from "./columns.js";
import { control } from "./monitor.js";
import { byTopics, calibration, convergence, merit, roc } from "./quality.js";
import { contributions, topicBars, tradeOffs } from "./topics.js";

export const CHARTS = Object.freeze({
  arrivalRates,
  bedsByHour,
  byTopics,
  calibration,
  contributions,
  control,
  convergence,
  effectOfNumber,
  merit,
  observedByHour,
  pit,
  roc,
  topicBars,
  tradeOffs,
});
