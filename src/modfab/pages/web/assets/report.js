// SPDX-License-Identifier: Apache-2.0
// Plots with filters over the points that a page carries, and buttons that copy commands.
"use strict";

(function () {
  const root = new URL("..", document.querySelector("link[rel=stylesheet]").href).href;
  const symbols = ["circle", "square", "diamond", "cross", "triangle-up", "x", "star", "hexagon", "triangle-down", "pentagon", "bowtie"];
  const light = ["#0b6fa4", "#c2571a", "#2c7d4f", "#8a4fa3", "#b3333f", "#7a6400", "#10787a", "#b0417c", "#4a5bb5", "#5d6970"];
  const dark = ["#6cb8ec", "#f0a070", "#7fd0a0", "#cfa0e8", "#f28a90", "#d8c25a", "#66cccc", "#f29ac4", "#9fabf5", "#aab6bc"];
  const darkMode = window.matchMedia("(prefers-color-scheme: dark)");

  function unique(values) {
    return [...new Set(values)];
  }

  function colour(name) {
    return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  }

  function fill(select, values, every) {
    if (every && values.length > 1) select.add(new Option(every, ""));
    for (const value of values) select.add(new Option(String(value), String(value)));
  }

  // The target with the most routed points says most.
  function best(points) {
    const score = (target) => points.filter((p) => p.target === target).length + 1000 * points.filter((p) => p.target === target && p.mhz).length;
    return unique(points.map((p) => p.target)).sort((a, b) => score(b) - score(a))[0];
  }

  function text(point) {
    const mhz = point.mhz ? point.mhz.toFixed(1) + " MHz (" + point.seeds + (point.seeds === 1 ? " seed)" : " seeds)") : "not routed";
    return "<b>" + point.name + "</b>, " + point.bits + " bits<br>" + point.level + ", " + point.target + "<br>" +
      point.lut.toLocaleString("en") + " LUT, " + point.ff.toLocaleString("en") + " FF, " + point.multipliers + " multipliers, " +
      point.block_rams + " RAMs<br>" + point.cycles.toLocaleString("en") + " cycles in a stream, " + mhz;
  }

  // What no other point beats on both axes, from left to right. More MHz is better, less of all else.
  function pareto(points, x, y) {
    const sign = y === "mhz" ? -1 : 1;
    const front = [];
    for (const p of [...points].sort((a, b) => a[x] - b[x] || sign * (a[y] - b[y]))) {
      if (!front.length || sign * p[y] < sign * front[front.length - 1][y]) front.push(p);
    }
    return front;
  }

  function traces(points, engines, x, y) {
    const colours = darkMode.matches ? dark : light;
    const found = engines.filter((name) => points.some((p) => p.engine === name)).map((name) => {
      const mine = points.filter((p) => p.engine === name);
      const index = engines.indexOf(name);
      return {
        type: "scatter", mode: "markers", name: name,
        x: mine.map((p) => p[x]), y: mine.map((p) => p[y]), text: mine.map(text), customdata: mine.map((p) => p.page),
        hovertemplate: "%{text}<extra></extra>",
        marker: { size: 12, color: colours[index % colours.length], symbol: symbols[index % symbols.length], line: { width: 1, color: colour("--back") } },
      };
    });
    for (const group of unique(points.map((p) => p.target + " " + p.bits))) {
      const line = pareto(points.filter((p) => p.target + " " + p.bits === group), x, y);
      if (line.length < 2) continue;
      found.push({
        type: "scatter", mode: "lines", x: line.map((p) => p[x]), y: line.map((p) => p[y]), hoverinfo: "skip", showlegend: false,
        line: { shape: "hv", dash: "dash", width: 1, color: colour("--faint") },
      });
    }
    return found;
  }

  // 1, 2 and 5 of every decade, written out.
  const ticks = [...Array(14).keys()].flatMap((n) => [1, 2, 5].map((m) => Number(m + "e" + (n - 4))));

  function layout(form, narrow) {
    const axis = (name, log) => ({
      title: { text: form[name].selectedOptions[0].text, standoff: 12 },
      ...(log.checked ? { tickvals: ticks, ticktext: ticks.map((n) => n.toLocaleString("en", { maximumFractionDigits: 4 })) } : {}),
      type: log.checked ? "log" : "linear", rangemode: log.checked ? "normal" : "tozero", gridcolor: colour("--line"), zeroline: false,
      linecolor: colour("--line"), automargin: true, exponentformat: "none", separatethousands: true, fixedrange: narrow,
    });
    return {
      xaxis: axis("x", form.logx), yaxis: axis("y", form.logy), paper_bgcolor: "transparent", plot_bgcolor: "transparent",
      font: { color: colour("--ink"), family: "system-ui, sans-serif", size: narrow ? 11 : 13 }, margin: { l: 20, r: 16, t: 34, b: 20 },
      modebar: { bgcolor: "transparent", color: colour("--faint"), activecolor: colour("--accent") },
      showlegend: true, legend: narrow ? { orientation: "h", y: -0.28 } : {}, hovermode: "closest",
      hoverlabel: { bgcolor: colour("--back"), bordercolor: colour("--accent"), font: { color: colour("--ink") }, align: "left" },
    };
  }

  function Explorer(section) {
    const points = JSON.parse(section.querySelector("script.data").textContent);
    const form = section.querySelector("form").elements;
    const plot = section.querySelector(".plot");
    const engines = unique(points.map((p) => p.engine));
    let listening = false;

    fill(form.work, unique(points.map((p) => p.work)));
    fill(form.target, unique(points.map((p) => p.target)), "all");
    fill(form.bits, unique(points.map((p) => p.bits)).sort((a, b) => a - b), "all");
    form.target.value = best(points.filter((p) => p.work === form.work.value));
    if (!points.some((p) => p.stream_us)) form.x.value = "cycles";

    function chosen() {
      return points.filter((p) => p.work === form.work.value && (!form.target.value || p.target === form.target.value) &&
        (!form.bits.value || String(p.bits) === form.bits.value));
    }

    function draw() {
      const x = form.x.value, y = form.y.value;
      const selected = chosen();
      const shown = selected.filter((p) => p[x] !== null && p[y] !== null && (!form.logx.checked || p[x] > 0) && (!form.logy.checked || p[y] > 0));
      const left = selected.length - shown.length;
      const plural = (n) => n + (n === 1 ? " circuit" : " circuits");
      section.querySelector(".shown").textContent = plural(shown.length) + " in the plot" +
        (left ? "; " + plural(left) + " of the choice not, without a value above zero on these axes" : "") + ".";
      const pages = new Set(selected.map((p) => p.page));
      for (const row of section.querySelectorAll("tr[data-page]")) row.hidden = !pages.has(row.dataset.page);
      const narrow = plot.clientWidth < 560;
      window.Plotly.react(plot, traces(shown, engines, x, y), layout(form, narrow), { displaylogo: false, responsive: true, displayModeBar: !narrow });
      if (!listening) {
        listening = true;
        plot.on("plotly_click", (event) => {
          const page = event.points[0].customdata;
          if (page) location.href = root + page;
        });
      }
    }

    section.querySelector("form").addEventListener("change", draw);
    section.querySelector("form").addEventListener("submit", (event) => event.preventDefault());
    darkMode.addEventListener("change", draw);
    draw();
  }

  function copying(button) {
    button.hidden = false;
    button.addEventListener("click", async () => {
      let done = true;
      try {
        await navigator.clipboard.writeText(button.dataset.copy);
      } catch {
        done = false;
        getSelection().selectAllChildren(button.previousElementSibling);
      }
      button.textContent = done ? "Copied" : "Selected";
    });
  }

  window.addEventListener("load", () => {
    document.querySelectorAll(".explorer").forEach(Explorer);
    document.querySelectorAll("button[data-copy]").forEach(copying);
  });
})();
