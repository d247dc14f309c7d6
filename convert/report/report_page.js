const report = JSON.parse(document.getElementById("report").textContent);
const at = (id) => document.getElementById(id);
const bytes = (n) => {
  const units = ["B", "kB", "MB", "GB"];
  let unit = 0;
  while (n >= 1000 && unit < 3) { n /= 1000; ++unit; }
  return unit ? n.toFixed(n < 10 ? 2 : 1) + " " + units[unit] : Math.round(n) + " B";
};
const count = (n) => n >= 1e9 ? (n / 1e9).toFixed(2) + " G" : n >= 1e6 ? (n / 1e6).toFixed(1) + " M" : n.toLocaleString("en");
const fixed = (digits) => (v) => v === null ? "" : v.toFixed(digits);
const precise = (v) => v === null ? "" : v.toPrecision(3);
const shape = (dims) => Object.entries(dims).map(([name, n]) => name + "=" + n).join(" ") || "fixed shapes";
const put = (parent, tag, text, kind) => {
  const element = document.createElement(tag);
  element.textContent = text;
  if (kind) element.className = kind;
  parent.append(element);
  return element;
};

// columns: {head, key(row), show(value, row), kind: "text", "name" or "why"}. Sorts by the keys.
function table(element, columns, rows, sortable) {
  const head = element.createTHead().insertRow(), body = element.createTBody();
  const fill = (sorted) => {
    body.replaceChildren();
    for (const row of sorted) {
      const line = body.insertRow();
      for (const column of columns) {
        const cell = line.insertCell(), value = column.key(row), shown = column.show ? column.show(value, row) : value;
        if (column.kind) cell.className = column.kind === "text" ? "text" : "text " + column.kind;
        if (column.kind === "name" || column.kind === "why") put(cell, "div", shown).title = value;
        else cell.textContent = shown;
      }
    }
  };
  columns.forEach((column) => {
    const cell = document.createElement("th");
    cell.scope = "col";
    if (column.kind) cell.className = "text";
    head.append(cell);
    if (!sortable) { cell.textContent = column.head; return; }
    const button = put(cell, "button", column.head);
    button.type = "button";
    button.addEventListener("click", () => {
      const down = cell.getAttribute("aria-sort") === "ascending";
      for (const other of head.cells) other.removeAttribute("aria-sort");
      cell.setAttribute("aria-sort", down ? "descending" : "ascending");
      // What is not known comes last either way.
      fill([...rows].sort((a, b) => {
        const x = column.key(a), y = column.key(b);
        if (x === null || y === null) return (x === null) - (y === null);
        return (x < y ? -1 : x > y ? 1 : 0) * (down ? -1 : 1);
      }));
    });
  });
  fill(rows);
}

// What all names begin with, up to a separator.
function common_prefix(names) {
  if (names.length < 2) return "";
  let n = 0;
  while (n < names[0].length && names.every((name) => name[n] === names[0][n])) ++n;
  while (n > 0 && !"/.:".includes(names[0][n - 1])) --n;
  return n > 3 ? names[0].slice(0, n) : "";
}

// By the value, or by the logit or power that decides.
const deciding = (o) => o.decided_by === "value" ? o.cosine : o.decided_cosine;
const known = report.outputs.filter((o) => deciding(o) !== null);
const worst = known.length ? Math.min(...known.map(deciding)) : null;
const largest = report.memory[report.memory.length - 1], made_up = /made.up|synthetic|random/i.test(report.compared_on);
const verdict = at("verdict");
if (!report.passed) {
  verdict.className = "bad";
  verdict.textContent = "Not passed, no blob was written: " + report.refusal.what + ". " + report.refusal.advice + ".";
} else if (worst === null) {
  verdict.className = "doubt";
  verdict.textContent = "Converted; how accurate it is, is not known: no output could be compared.";
} else {
  verdict.className = report.warnings.length ? "doubt" : "";
  verdict.textContent = "Converted: cosine " + worst.toFixed(6) + " with " + report.reference + " on the worst output, " +
    bytes(report.stored_bytes) + " of flash, " + bytes(largest.arena_bytes) + " of RAM at most" +
    (report.warnings.length ? "; read the warning" + (report.warnings.length > 1 ? "s" : "") + " below." : ".") +
    (made_up ? " The inputs were made up: measure on your own (edgeconv validate --data)." : "");
}
for (const warning of report.warnings) put(at("warnings"), "p", "warning: " + warning, "warning");
at("title").textContent = "edgeconv report: " + report.output.split("/").pop();
const card = (head, value, more) => {
  const box = put(at("cards"), "div", "", "card");
  put(box, "span", head);
  put(box, "b", value);
  put(box, "span", more);
};
const ratio = report.stored_bytes / Math.max(1, report.source_bytes);
card("size", bytes(report.stored_bytes), (ratio > 2 ? ratio.toFixed(1) + " times" : (100 * ratio).toFixed(1) + " % of") + " the model's " + bytes(report.source_bytes) +
  ", " + count(report.parameters) + " parameters");
card("RAM", bytes(largest.arena_bytes), "at " + shape(largest.dims) + (report.memory.length > 1 ? "; " + bytes(report.memory[0].arena_bytes) + " at " + shape(report.memory[0].dims) : ""));
card("work", count(largest.macs) + " multiplications", "at " + shape(largest.dims) + "; layers cost " + report.slowdown.toFixed(2) + " times int8");
card("accuracy", worst === null ? "not known" : "cosine " + worst.toFixed(6), "worst output, on " + report.compared_on);
card("layers", Object.entries(report.layers).filter((e) => e[1]).map((e) => e[1] + " " + e[0]).join(", ") || "none", "attention " + report.attention + ", large tables " + report.tables);
const part_kinds = {weights: "int8", tables: "w8a16", "golden vectors": "fp32"};
const part_sum = report.parts.reduce((sum, p) => sum + p.bytes, 0);
at("parts-note").textContent = "Where the bytes are: " + report.parts.map((p) => p.kind + " " + bytes(p.bytes) + " (" + (100 * p.bytes / part_sum).toFixed(1) + " %)").join(", ") + ".";
for (const p of report.parts) {
  const piece = put(at("parts"), "i", "", part_kinds[p.kind] || "other");
  piece.style.width = (100 * p.bytes / part_sum).toFixed(2) + "%";
  piece.title = p.kind + " " + bytes(p.bytes);
}
at("head").textContent = report.converter + " \u00b7 " + report.date + " \u00b7 " + report.output + " \u00b7 model: opset " + report.opset + ", " + report.nodes + " nodes" +
  (report.exporter ? ", by " + report.exporter : "") + " \u00b7 source sha256 " + report.source_sha256 + " \u00b7 conversion " + report.cost.cpu_seconds.toFixed(1) + " s of CPU on " + report.cost.machine;
at("command").textContent = report.command;
at("compared").textContent = "Reference: " + report.reference + ", on " + report.compared_on + "." +
  (report.not_compared.length ? " Not compared: " + report.not_compared.join(", ") + "." : "");
table(at("outputs"), [
  {head: "output", key: (o) => o.name, kind: "name"},
  {head: "cosine", key: (o) => o.cosine, show: fixed(6)},
  {head: "measured as", key: (o) => o.scores_before ? "scores before " + o.scores_before : "values", kind: "text"},
  {head: "decided by", key: (o) => o.decided_by, kind: "text"},
  {head: "its cosine", key: deciding, show: fixed(6)},
  {head: "largest error", key: (o) => o.max_abs, show: precise},
  {head: "of", key: (o) => o.max_reference, show: precise},
  {head: "SQNR dB", key: (o) => o.sqnr_db, show: fixed(1)},
  {head: "same argmax or choices %", key: (o) => 100 * o.argmax_agreement, show: fixed(1)},
], report.outputs, false);

const prefix = common_prefix(report.layer_table.map((l) => l.name)), short = (name) => (name.slice(prefix.length) || name).replace(/[/+.]/g, "$&\u200b");
at("prefix").textContent = prefix ? "All names begin with " + prefix + ", which is left out." : "";
const stored = (l) => l.k * l.n * (l.precision === "fp32" ? 4 : l.precision === "w12a13" ? 2 : 1);
const whats = {
  "error: accumulated dB (low is bad)": [(l) => l.accumulated_sqnr_db, (v) => Math.round(v), "dB to fp32"],
  "error: local dB in int8 (low is bad)": [(l) => l.local_sqnr_db, (v) => Math.round(v), "dB to fp32"],
  "bytes of weights": [stored, bytes, "bytes"],
  "outliers before smoothing": [(l) => l.outlier_index, (v) => +v.toPrecision(3), "times the median"],
};
const show_layers = () => {
  const [key, show, title] = whats[at("layer-what").value];
  chart(at("layer-chart"), {show, xTitle: "layer, worst first", yTitle: title, first: report.layer_table.length ? "" : "no layers",
    bars: report.layer_table.map((l, i) => ({value: key(l), kind: l.precision, text: i + ": " + l.name + ", " + l.precision + ", " + l.k + " x " + l.n + ", " +
      (key(l) === null ? "not measured" : show(key(l)) + " " + title)}))});
};
for (const what of Object.keys(whats)) put(at("layer-what"), "option", what);
at("layer-what").addEventListener("change", show_layers);
show_layers();
table(at("layers"), [
  {head: "layer", key: (l) => l.name, show: short, kind: "name"},
  {head: "k x n", key: (l) => l.k * l.n, show: (v, l) => l.k + " x " + l.n},
  {head: "bytes", key: stored, show: bytes},
  {head: "precision", key: (l) => l.precision, kind: "text"},
  {head: "local dB", key: (l) => l.local_sqnr_db, show: fixed(1)},
  {head: "accumulated dB", key: (l) => l.accumulated_sqnr_db, show: fixed(1)},
  {head: "weights dB", key: (l) => l.weight_sqnr_db, show: fixed(1)},
  {head: "largest input", key: (l) => l.largest_input, show: precise},
  {head: "outliers", key: (l) => l.outlier_index, show: precise},
  {head: "smoothed", key: (l) => l.smoothed_outlier_index, show: precise},
  {head: "smoothing", key: (l) => l.smoothing_exponent, show: fixed(2)},
  {head: "why", key: (l) => l.why, kind: "why"},
], report.layer_table, true);

at("ladder-note").textContent = report.ladder.length === 0 ? "Nothing was tried: the precision was given." :
  "What was tried, in this order, for cosine " + report.target_cosine + ". Work: multiplications relative to int8, w8a16 and w12a13 count 2, fp32 counts 4. " +
  "Attention is " + report.attention + ": " + report.attention_why + ". Large tables are " + report.tables + ": " + report.tables_why + ".";
if (report.ladder.length) table(at("ladder"), [
  {head: "int8", key: (s) => s.int8}, {head: "w8a16", key: (s) => s.w8a16}, {head: "w12a13", key: (s) => s.w12a13}, {head: "fp32", key: (s) => s.fp32},
  {head: "attention", key: (s) => s.attention, kind: "text"}, {head: "tables", key: (s) => s.tables, kind: "text"},
  {head: "work", key: (s) => s.slowdown, show: fixed(3)}, {head: "worst cosine", key: (s) => s.worst_cosine, show: fixed(7)},
], report.ladder, true);

at("curve-note").textContent = report.memory_curves.length ? "RAM over each dim that can change, the others at their maxima." : "All dims are fixed: the RAM is one figure.";
for (const curve of report.memory_curves) {
  chart(put(at("curves"), "div", "", "chart"), {show: bytes, xTitle: curve.dim, yTitle: "RAM (arena)",
    points: curve.points.map((p) => ({x: p.value, value: p.arena_bytes, text: curve.dim + " = " + p.value + ": " + bytes(p.arena_bytes)}))});
}
const timeline = report.memory_timeline;
at("timeline-note").textContent = "At " + shape(timeline.dims) + ": arena " + bytes(timeline.arena_bytes) + ", of which " + bytes(timeline.slot_bytes) +
  " slots (dashed line) and " + bytes(timeline.other_bytes) + " scratch and tables. Bars: values that are alive while the op runs.";
chart(at("timeline"), {show: bytes, xTitle: "op, in the order of a run", yTitle: "bytes alive", limit: timeline.slot_bytes,
  bars: timeline.steps.map((step, i) => ({value: step.live_bytes, kind: "int8", text: i + ": " + step.op + " " + step.name + ", " + bytes(step.live_bytes)}))});
table(at("memory"), [
  {head: "at", key: (m) => shape(m.dims), kind: "name"}, {head: "arena", key: (m) => m.arena_bytes, show: bytes},
  {head: "multiplications", key: (m) => m.macs, show: (n) => n.toLocaleString("en")},
], report.memory, true);
at("fusions").textContent = "Fused: " + (Object.entries(report.fusions).filter((e) => e[1] > 0).map((e) => e[0].replaceAll("_", " ") + " " + e[1]).join(", ") || "nothing") +
  ". " + report.ops + " ops at run time. Padding is " + (report.padding.skipped ? "skipped where '" + report.padding.mask + "' marks it: it costs nothing and is zero in outputs." : "computed like all else.");
