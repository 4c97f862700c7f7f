"use strict";

/* The charts of the report and of the web page: sonmfCharts.<name>(element, data) draws, and draws again when called again.
   Red raises the odds of admission, blue lowers them; purple and orange are kept for correlations. */
const sonmfCharts = (() => {
  const RAISES = "#b2182b",
    LOWERS = "#2166ac",
    NEITHER = "#6a737d",
    INK = "#1b1f24",
    FAINT = "#8c959f";
  const SERIES = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#8a6d00", "#1b1f24"];
  const DASHES = ["none", "7 3", "2 3", "9 3 2 3", "12 4"];
  const LETTER = 6.9; // pixels, of the 12 pixel font
  const percent = d3.format(".0%"),
    signed = d3.format("+.2f"),
    count = d3.format(",");

  /* draw(data, width) gives the nodes to show; label(data) says in words what they show. */
  function chart(label, draw) {
    return (element, data, width = element.clientWidth) => {
      element.replaceChildren(...draw(data, width || 600));
      element.setAttribute("role", "img");
      if (!element.hasAttribute("aria-label")) element.setAttribute("aria-label", label(data));
    };
  }

  /* Plot puts a <style> into each chart, which a strict Content-Security-Policy refuses: its rules are in style.css. */
  function plot(options) {
    const svg = Plot.plot({ className: "plot", ...options });
    svg.querySelectorAll("style").forEach((style) => style.remove());
    svg.setAttribute("aria-hidden", "true");
    return svg;
  }

  function legend(entries) {
    const box = document.createElement("div");
    box.className = "legend";
    for (const { title, colour, dash } of entries) {
      const entry = document.createElement("span");
      const line = d3.create("svg").attr("width", 26).attr("height", 10).attr("aria-hidden", "true");
      line
        .append("line")
        .attr("x2", 26)
        .attr("y1", 5)
        .attr("y2", 5)
        .attr("stroke", colour)
        .attr("stroke-width", dash ? 2.5 : 10)
        .attr("stroke-dasharray", dash || "none");
      entry.append(line.node(), title);
      box.append(entry);
    }
    return box;
  }

  const room = (words, width, share) => Math.min(share * width, d3.max(words, (word) => word.length) * LETTER + 10);
  const towards = (strength) => (strength > 0 ? RAISES : strength < 0 ? LOWERS : NEITHER);
  const shortened = (pixels) => ({ textOverflow: "ellipsis", lineWidth: pixels / 12 });

  function topicBars({ positive, negative, strength = 0 }, width) {
    const side = (words, sign) =>
      words.map(([word, weight], rank) => ({ word, rank, weight: sign * Math.abs(weight) }));
    const right = side(positive, 1),
      left = side(negative, -1),
      both = [...right, ...left];
    const margins = [left, right].map((words) =>
      words.length
        ? room(
            words.map((d) => d.word),
            width,
            0.3,
          )
        : 10,
    );
    const options = { x: "weight", y: "rank" };
    const title = (d) => `${d.word}  ${signed(d.weight)}`;
    return [
      plot({
        width,
        height: 21 * Math.max(right.length, left.length) + 12,
        marginLeft: margins[0],
        marginRight: margins[1],
        marginTop: 6,
        marginBottom: 6,
        x: { axis: null, domain: d3.extent([0, ...both.map((d) => d.weight)]) },
        y: { axis: null, type: "band", domain: d3.range(Math.max(right.length, left.length)), padding: 0.22 },
        marks: [
          Plot.barX(both, { ...options, fill: (d) => towards(Math.sign(d.weight) * strength), title, tip: true }),
          Plot.ruleX([0], { stroke: INK }),
          Plot.text(right, { ...options, text: "word", textAnchor: "start", dx: 5, ...shortened(margins[1]) }),
          Plot.text(left, { ...options, text: "word", textAnchor: "end", dx: -5, ...shortened(margins[0]) }),
        ],
      }),
    ];
  }

  function contributions(rows, width) {
    const largest = d3.max(rows, (d) => Math.abs(d.value)) || 1;
    const order = (d) => rows.indexOf(d);
    const title = (d) => `${d.name}  ${signed(d.value)}`;
    const names = (sign) =>
      Plot.text(
        rows.filter((d) => (d.value < 0 ? -1 : 1) === sign),
        {
          x: 0,
          y: order,
          text: "name",
          dx: -6 * sign,
          textAnchor: sign > 0 ? "end" : "start",
          ...shortened(width / 2 - 14),
        },
      );
    const amounts = (sign) =>
      Plot.text(
        rows.filter((d) => (d.value < 0 ? -1 : 1) === sign),
        {
          x: "value",
          y: order,
          text: (d) => signed(d.value),
          dx: 5 * sign,
          textAnchor: sign > 0 ? "start" : "end",
        },
      );
    return [
      plot({
        width,
        height: 26 * rows.length + 12,
        marginLeft: 48,
        marginRight: 48,
        marginTop: 6,
        marginBottom: 6,
        x: { axis: null, domain: [-largest, largest] },
        y: { axis: null, type: "band", domain: d3.range(rows.length), padding: 0.25 },
        marks: [
          Plot.barX(rows, { x: "value", y: order, fill: (d) => towards(d.value), title, tip: true }),
          Plot.ruleX([0], { stroke: INK }),
          names(1),
          names(-1),
          amounts(1),
          amounts(-1),
        ],
      }),
    ];
  }

  /* A bent line above and below nothing; dots where the patients are, as log-odds against those of all patients. */
  function effectOfNumber({ curve, bins, base, name, unit }, width) {
    const logit = (share) => Math.log(share / (1 - share));
    const dots = bins.map((d) => ({ ...d, odds: logit((d.n * d.admitted + 0.5) / (d.n + 1)) - logit(base) }));
    const line = curve.flatMap((to, k) => {
      const from = curve[k - 1];
      if (!from || from.effect * to.effect >= 0) return [to];
      const share = from.effect / (from.effect - to.effect);
      return [{ value: from.value + share * (to.value - from.value), effect: 0 }, to];
    });
    const side = (sign, fill) =>
      Plot.areaY(line, { x: "value", y1: 0, y2: (d) => sign * Math.max(0, sign * d.effect), fill, fillOpacity: 0.16 });
    const title = (d) =>
      `${name} about ${d3.format(".3~g")(d.value)}\n${percent(d.admitted)} of ${count(d.n)} admitted\nadds ${signed(d.effect)}`;
    return [
      plot({
        width,
        height: 210,
        marginLeft: 40,
        marginBottom: 38,
        marginTop: 26,
        marginRight: 14,
        x: { label: unit && unit !== name ? `${name}, ${unit}` : name, ticks: 5, labelArrow: "none" },
        y: {
          label: "adds to the log-odds",
          grid: true,
          ticks: 5,
          nice: true,
          tickFormat: (d) => (d ? d3.format("+~f")(d) : "0"),
        },
        marks: [
          side(1, RAISES),
          side(-1, LOWERS),
          Plot.ruleY([0], { stroke: INK }),
          Plot.line(line, { x: "value", y: "effect", stroke: INK, strokeWidth: 2 }),
          Plot.dot(dots, { x: "value", y: "odds", r: 3.5, fill: NEITHER, fillOpacity: 0.75, title, tip: true }),
        ],
      }),
    ];
  }

  const style = (k) => ({ colour: SERIES[k % SERIES.length], dash: DASHES[k % DASHES.length] });
  const styled = (curves) => curves.map((curve, k) => ({ ...curve, ...style(k) }));
  const keyed = (curves) => (curves.length > 1 ? [legend(curves)] : []);
  const share = (label) => ({ label, domain: [0, 1], tickFormat: "%", ticks: 5, grid: true });

  function square(width, x, y, marks) {
    const size = Math.min(width, 420);
    return plot({
      width: size,
      height: size,
      marginLeft: 46,
      marginBottom: 40,
      marginRight: 16,
      marginTop: 26,
      x: share(x),
      y: share(y),
      r: { range: [0, 6] },
      marks: [
        Plot.line(
          [
            [0, 0],
            [1, 1],
          ],
          { stroke: FAINT, strokeDasharray: "3 3" },
        ),
        ...marks,
      ],
    });
  }

  function roc({ curves }, width) {
    const lines = styled(curves);
    const title = (name) => (d) =>
      `${name}\nfinds ${percent(d.true)} of the admitted\nat ${percent(d.false)} false alarms`;
    const marks = lines.map(({ points, colour, dash, title: name }) =>
      Plot.line(points, {
        x: "false",
        y: "true",
        stroke: colour,
        strokeWidth: 2,
        strokeDasharray: dash,
        title: title(name),
        tip: lines.length === 1,
      }),
    );
    return [square(width, "false alarms among those not admitted", "admitted patients found", marks), ...keyed(lines)];
  }

  function calibration({ curves }, width) {
    const lines = styled(curves);
    const title = (d) => `forecast ${percent(d.forecast)}\nadmitted ${percent(d.admitted)}\n${count(d.n)} patients`;
    const place = { x: "forecast", y: "admitted" };
    // A line through bins of one or two patients would jump between nought and all of them.
    const solid = (bins) => bins.filter((d) => d.n > 0.03 * d3.sum(bins, (one) => one.n));
    const marks = lines.flatMap(({ bins, colour, dash }) => [
      Plot.line(solid(bins), { ...place, stroke: colour, strokeWidth: 1.5, strokeDasharray: dash }),
      Plot.dot(bins, { ...place, r: "n", fill: colour, fillOpacity: 0.75, title, tip: true }),
    ]);
    return [square(width, "forecast", "admitted", marks), ...keyed(lines)];
  }

  function byTopics({ rows, panels }, width) {
    const size = width < 560 ? width : width / panels.length - 8;
    return panels.map(([name, label]) =>
      plot({
        width: size,
        height: 190,
        marginLeft: 58,
        marginBottom: 36,
        marginTop: 28,
        marginRight: 20,
        x: { label: "topics", ticks: rows.map((d) => d.n_topics), tickFormat: "d" },
        y: { label, grid: true, ticks: 4, nice: true, inset: 6 },
        marks: [
          Plot.line(rows, { x: "n_topics", y: name, stroke: SERIES[0], strokeWidth: 2 }),
          Plot.dot(rows, {
            x: "n_topics",
            y: name,
            fill: SERIES[0],
            r: 4,
            tip: true,
            title: (d) => `${d.n_topics} topics\n${label} ${d3.format(".4~f")(d[name])}`,
          }),
        ],
      }),
    );
  }

  function convergence(objective, width) {
    const rows = objective.map((value, k) => ({ iteration: k + 1, value }));
    const options = { x: "iteration", y: "value" };
    const title = (d) => `after iteration ${d.iteration}\n${d3.format(".6~g")(d.value)}`;
    return [
      plot({
        width: Math.min(width, 560),
        height: 220,
        marginLeft: 66,
        marginBottom: 38,
        marginTop: 28,
        marginRight: 20,
        x: { label: "iteration", nice: true },
        y: { label: "objective", grid: true, ticks: 5, nice: true },
        marks: [
          Plot.line(rows, { ...options, stroke: SERIES[0], strokeWidth: 2 }),
          Plot.dot(rows, { ...options, r: 2.5, fill: SERIES[0], title, tip: true }),
        ],
      }),
    ];
  }

  function tradeOffs({ topics, numbers, correlation }, width) {
    const shown = topics.map((name, k) => ({ name, number: numbers ? numbers[k] : k + 1 }));
    const cells = d3
      .cross(d3.range(topics.length), d3.range(topics.length))
      .filter(([a, b]) => a !== b)
      .map(([a, b]) => ({ a, b, value: correlation[a][b] }));
    const largest = Math.max(0.2, d3.max(cells, (d) => Math.abs(d.value)) || 0);
    const colour = (value) => d3.interpolatePuOr(0.5 + (0.5 * value) / largest);
    const names = shown.map(({ name, number }) => `${number}  ${name}`);
    const size = Math.min(width, 760),
      left = room(names, size, 0.42);
    const cell = Math.min((size - left - 8) / topics.length, 46);
    const title = (d) => `${names[d.a]}\n${names[d.b]}\ncorrelation ${signed(d.value)}`;
    const place = { x: "b", y: "a" };
    return [
      plot({
        width: left + cell * topics.length + 8,
        height: Math.max(cell, 22) * topics.length + 40,
        marginLeft: left,
        marginTop: 34,
        marginRight: 8,
        marginBottom: 6,
        padding: 0.06,
        x: { type: "band", domain: d3.range(topics.length), axis: null },
        y: { type: "band", domain: d3.range(topics.length), axis: null },
        marks: [
          Plot.axisX({
            anchor: "top",
            label: null,
            tickSize: 0,
            tickRotate: cell < 24 ? -90 : 0,
            tickFormat: (k) => String(shown[k].number),
          }),
          Plot.cell(cells, { ...place, fill: (d) => colour(d.value), title, tip: true }),
          cell < 34
            ? null
            : Plot.text(cells, {
                ...place,
                text: (d) => d3.format(".2f")(d.value),
                fontSize: 11,
                fill: (d) => (d3.lab(colour(d.value)).l < 58 ? "white" : INK),
              }),
          Plot.text(names, {
            y: (_, k) => k,
            text: (d) => d,
            frameAnchor: "left",
            textAnchor: "end",
            dx: -8,
            ...shortened(left - 10),
          }),
        ],
      }),
      legend([
        { title: "often together", colour: colour(largest / 2) },
        { title: "rather one or the other", colour: colour(-largest / 2) },
      ]),
    ];
  }

  function merit(rows, width) {
    const known = rows.filter((d) => d.patients > 0);
    const patients = new Map(rows.map((d) => [d.shown, d.patients]));
    const top = Math.max(0.1, d3.max(known, (d) => d.rate) || 0);
    const title = (d) => `${d.shown} signals\n${count(d.admitted)} of ${count(d.patients)} admitted`;
    return [
      plot({
        width: Math.min(width, 560),
        height: 260,
        marginTop: 32,
        marginBottom: 56,
        marginLeft: 46,
        marginRight: 10,
        x: {
          type: "band",
          domain: rows.map((d) => d.shown),
          padding: 0.3,
          tickSize: 0,
          tickFormat: (k) => `${k}\n${count(patients.get(k))}`,
          label: "signals shown, patients below",
          labelArrow: "none",
          labelAnchor: "center",
        },
        y: { label: "admitted", tickFormat: "%", domain: [0, top], nice: true, grid: true, ticks: 5 },
        marks: [
          Plot.barY(known, { x: "shown", y: "rate", fill: RAISES, title, tip: true }),
          Plot.text(known, { x: "shown", y: "rate", text: (d) => percent(d.rate), dy: -9 }),
          Plot.ruleY([0], { stroke: INK }),
        ],
      }),
    ];
  }

  /* What was found in each period on what may be found there: a grey bar a period; beyond it a red diamond. */
  function control({ rows, share, drift }, width) {
    const names = rows.map((d) => d.period);
    const every = Math.ceil(rows.length / Math.max(2, Math.floor(width / 105)));
    const number = share ? d3.format(".1%") : d3.format(",.4~f");
    const title = (d) =>
      `${d.period}${d.what ? `\n${d.what}` : ""}\n${number(d.value)}, ${drift ? "in the fit" : "expected"} ${number(d.expected)}\n` +
      `${drift ? `limit ${number(d.high)}` : `limits ${number(d.low)} to ${number(d.high)}`}`;
    const at = { x: "period", y: "value" };
    return [
      plot({
        width: Math.min(width, 640),
        height: 200,
        marginLeft: 52,
        marginBottom: 30,
        marginTop: 14,
        marginRight: 20,
        x: {
          type: "point",
          domain: names,
          padding: 0.6,
          label: null,
          ticks: names.filter((_, k) => k % every === 0),
          tickSize: 3,
        },
        y: { label: null, grid: true, ticks: 5, nice: true, tickFormat: share ? "%" : undefined },
        marks: [
          Plot.ruleX(rows, {
            x: "period",
            y1: "low",
            y2: "high",
            stroke: FAINT,
            strokeOpacity: 0.35,
            strokeWidth: Math.min(14, (0.6 * width) / (rows.length + 2)),
          }),
          Plot.line(rows, { x: "period", y: "expected", stroke: NEITHER, strokeDasharray: "4 3" }),
          Plot.line(rows, { ...at, stroke: SERIES[0], strokeWidth: 1.5 }),
          Plot.dot(rows, {
            ...at,
            r: (d) => (d.beyond ? 6 : 3.5),
            symbol: (d) => (d.beyond ? "diamond" : "circle"),
            fill: (d) => (d.beyond ? RAISES : SERIES[0]),
            title,
            tip: true,
          }),
        ],
        symbol: { domain: ["circle", "diamond"], range: ["circle", "diamond"] },
        r: { type: "identity" },
      }),
    ];
  }

  /* Beds expected from now on: those for patients who are present, above them those who arrive, and the interval of both. */
  function bedsByHour({ lines, level }, width) {
    const title = (d) =>
      `${d.until.slice(11, 16)}\n${d.expected.toFixed(1)} beds, ${percent(level)} interval ${d.low} to ${d.high}\n${d.present.toFixed(1)} for those present, ${d.arriving.toFixed(1)} for those who arrive`;
    const place = { x: "hours" },
      last = lines[lines.length - 1].hours;
    const clock = (hours) => (lines.find((d) => d.hours === hours) || lines[0]).until.slice(11, 16);
    const room = Math.max(1, Math.ceil(lines.length / Math.max(2, Math.floor(width / 70))));
    return [
      plot({
        width: Math.min(width, 900),
        height: 300,
        marginLeft: 46,
        marginBottom: 38,
        marginTop: 26,
        marginRight: 24,
        x: {
          label: "until",
          domain: [0, last],
          ticks: lines.filter((_, k) => k % room === 0).map((d) => d.hours),
          tickFormat: clock,
          labelArrow: "none",
        },
        y: { label: "beds", grid: true, nice: true, zero: true },
        marks: [
          Plot.areaY(lines, { ...place, y1: 0, y2: "present", fill: SERIES[2], fillOpacity: 0.3 }),
          Plot.areaY(lines, { ...place, y1: "present", y2: "expected", fill: SERIES[1], fillOpacity: 0.3 }),
          Plot.ruleX(lines, { ...place, y1: "low", y2: "high", stroke: SERIES[0], strokeWidth: 2.5 }),
          Plot.line(lines, { ...place, y: "expected", stroke: INK, strokeWidth: 2 }),
          Plot.dot(lines, { ...place, y: "expected", fill: INK, r: 3, title, tip: true }),
          Plot.ruleY([0], { stroke: INK }),
        ],
      }),
      legend([
        { title: "expected", colour: INK, dash: "none" },
        { title: `${percent(level)} interval`, colour: SERIES[0], dash: "none" },
        { title: "for those present", colour: "#b3e2d5" },
        { title: "for those who arrive", colour: "#f3cfb3" },
      ]),
    ];
  }

  function pit(shares, width) {
    const rows = shares.map((share, k) => ({ share, from: k / shares.length, to: (k + 1) / shares.length }));
    const title = (d) =>
      `${percent(d.from)} to ${percent(d.to)} of the forecast\n${d3.format(".1%")(d.share)} of the outcomes`;
    return [
      plot({
        width: Math.min(width, 460),
        height: 230,
        marginLeft: 46,
        marginBottom: 38,
        marginTop: 26,
        marginRight: 14,
        x: {
          label: "part of the forecast below the outcome",
          tickFormat: "%",
          ticks: 5,
          labelArrow: "none",
          labelAnchor: "center",
        },
        y: { label: "outcomes", tickFormat: "%", grid: true, ticks: 4, nice: true },
        marks: [
          Plot.rectY(rows, {
            x1: "from",
            x2: "to",
            y: "share",
            fill: SERIES[0],
            fillOpacity: 0.75,
            inset: 0.5,
            title,
            tip: true,
          }),
          Plot.ruleY([1 / shares.length], { stroke: INK, strokeDasharray: "3 3" }),
          Plot.ruleY([0], { stroke: INK }),
        ],
      }),
    ];
  }

  function observedByHour(rows, width) {
    const title = (d) => `forecasts of ${d.hour}:00\n${d.observed.toFixed(2)} beds, ${d.expected.toFixed(2)} expected`;
    const lines = [
      { name: "observed", title: "observed", ...style(0) },
      { name: "expected", title: "expected", ...style(1) },
    ];
    return [
      plot({
        width: Math.min(width, 460),
        height: 230,
        marginLeft: 46,
        marginBottom: 38,
        marginTop: 26,
        marginRight: 14,
        x: { label: "hour of the forecast", ticks: 6, labelArrow: "none", labelAnchor: "center" },
        y: { label: "beds", grid: true, ticks: 4, nice: true, zero: true },
        marks: [
          ...lines.map(({ name, colour, dash }) =>
            Plot.line(rows, { x: "hour", y: name, stroke: colour, strokeWidth: 2, strokeDasharray: dash }),
          ),
          Plot.dot(rows, { x: "hour", y: "observed", fill: SERIES[0], r: 3, title, tip: true }),
        ],
      }),
      legend(lines),
    ];
  }

  function arrivalRates({ rates, weekdays }, width) {
    const cells = rates.flatMap((day, k) => day.map((rate, hour) => ({ day: weekdays[k].slice(0, 3), hour, rate })));
    const colour = d3.scaleSequential(d3.interpolateBlues).domain([0, d3.max(cells, (d) => d.rate) || 1]);
    return [
      plot({
        width: Math.min(width, 900),
        height: 220,
        marginLeft: 40,
        marginBottom: 36,
        marginTop: 8,
        marginRight: 8,
        padding: 0.05,
        x: {
          type: "band",
          label: "hour",
          tickSize: 0,
          labelArrow: "none",
          labelAnchor: "center",
          tickFormat: (d) => (width < 600 && d % 3 ? "" : String(d)),
        },
        y: { type: "band", label: null, domain: weekdays.map((day) => day.slice(0, 3)), tickSize: 0 },
        marks: [
          Plot.cell(cells, {
            x: "hour",
            y: "day",
            fill: (d) => colour(d.rate),
            title: (d) => `${d.day} ${d.hour}:00\n${d.rate.toFixed(1)} arrivals an hour`,
            tip: true,
          }),
        ],
      }),
    ];
  }

  const listed = (words) => words.map(([word]) => word).join(", ") || "none";
  const rated = (d) => `${d.shown}: ${d.patients ? percent(d.rate) : "no patients"}`;
  const titles = ({ curves }) => curves.map((curve) => curve.title).join(", ");
  return Object.freeze({
    topicBars: chart(
      (d) => `Words towards the topic: ${listed(d.positive)}; away from it: ${listed(d.negative)}.`,
      topicBars,
    ),
    contributions: chart(
      (rows) => `Log-odds: ${rows.map((d) => `${d.name} ${signed(d.value)}`).join(", ")}.`,
      contributions,
    ),
    effectOfNumber: chart(
      (d) =>
        `What ${d.name} adds to the log-odds: ${d.curve.map((at) => `${at.value} ${signed(at.effect)}`).join(", ")}.`,
      effectOfNumber,
    ),
    roc: chart((d) => `ROC curves: ${titles(d)}.`, roc),
    calibration: chart((d) => `Forecast against share admitted: ${titles(d)}.`, calibration),
    byTopics: chart((d) => `Figures for ${d.rows.map((row) => row.n_topics).join(", ")} topics.`, byTopics),
    convergence: chart((d) => `Objective over ${d.length} iterations.`, convergence),
    tradeOffs: chart((d) => `Correlations of ${d.topics.length} topics.`, tradeOffs),
    control: chart((d) => d.rows.map((row) => `${row.period} ${row.value}`).join(", "), control),
    bedsByHour: chart(
      (d) =>
        `Beds expected: ${d.lines.map((line) => `${line.expected.toFixed(1)} by ${line.until.slice(11, 16)}`).join(", ")}.`,
      bedsByHour,
    ),
    pit: chart(
      (shares) => `Outcomes in each tenth of their forecast: ${shares.map((share) => percent(share)).join(", ")}.`,
      pit,
    ),
    observedByHour: chart(
      (rows) =>
        `Beds observed and expected: ${rows.map((d) => `${d.hour}:00 ${d.observed.toFixed(1)} and ${d.expected.toFixed(1)}`).join(", ")}.`,
      observedByHour,
    ),
    arrivalRates: chart(() => "Arrivals an hour by weekday and hour.", arrivalRates),
    merit: chart((rows) => `Share admitted by signals shown: ${rows.map(rated).join(", ")}.`, merit),
  });
})();
