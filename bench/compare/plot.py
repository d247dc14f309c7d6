"""Bar charts of the speed ratios, as SVG written by hand so that no plotting library is needed."""
from xml.sax.saxutils import escape

import goals
import report
from peers import PEERS

COLOURS = {"ort_fp32": "#9a9a9a", "ort_dyn": "#e0a030", "ort_dyn_pc": "#c8641e", "ov_static": "#5a9e4b",
           "litert_int8": "#8a5fb0"}
OTHER_COLOURS = ("#4aa7a7", "#b04a6a", "#1f5fa8")
LEFT, TOP, PLOT_WIDTH, PLOT_HEIGHT, GAP_X, GAP_Y = 50, 64, 560, 170, 60, 78


def colour(name):
    """Each peer keeps its colour whoever else was measured."""
    return COLOURS.get(name) or OTHER_COLOURS[list(PEERS).index(name) % len(OTHER_COLOURS)]


def text(x, y, content, more=""):
    return f'<text x="{x:.1f}" y="{y:.1f}" {more}>{escape(content)}</text>'


def line(x1, x2, y, style):
    return f'<line x1="{x1}" y1="{y:.1f}" x2="{x2}" y2="{y:.1f}" {style}/>'


def goal_of(model_name, level, threads, machine):
    """At every shape, against the fastest rival."""
    return next((goal.every for goal in goals.wanted(model_name, level, threads, machine) if goal.only is None), None)


def chart(ratios, shapes, goal, left, top):
    """SVG of one model and thread count: time of each int8 peer / time of edgeconv, at each shape."""
    rows = {name: [row[shape] for shape in shapes] for name, row in ratios.items() if name in PEERS and PEERS[name].int8}
    largest = max([goal or 1.0, 1.2] + [max(row) for row in rows.values()]) * 1.12
    scale, bottom, right = PLOT_HEIGHT / largest, top + PLOT_HEIGHT, left + PLOT_WIDTH
    parts = []
    for mark in range(1, int(largest) + 1):
        parts.append(line(left, right, bottom - mark * scale, 'stroke="#ddd"' if mark > 1 else 'stroke="#1f5fa8"'))
        parts.append(text(left - 6, bottom - mark * scale + 4, f"{mark}x", 'text-anchor="end"'))
    group = PLOT_WIDTH / len(shapes)
    width = group * 0.86 / max(len(rows), 1)
    for place, shape in enumerate(shapes):
        for index, (name, row) in enumerate(rows.items()):
            x, height = left + place * group + group * 0.07 + index * width, row[place] * scale
            parts.append(f'<rect x="{x:.1f}" y="{bottom - height:.1f}" width="{width * 0.92:.1f}" height="{height:.1f}" '
                         f'fill="{colour(name)}"><title>{escape(report.title(name))} {shape}: {row[place]:.2f}x</title></rect>')
            parts.append(text(x + width * 0.46, bottom - height - 2, f"{row[place]:.2f}",
                              f'text-anchor="middle" font-size="{min(9.0, width * 0.5):.1f}"'))
        parts.append(text(left + (place + 0.5) * group, bottom + 14, shape, 'text-anchor="middle"'))
    if goal:
        parts.append(line(left, right, bottom - goal * scale, 'stroke="#c00" stroke-dasharray="4 3"'))
    return parts + [line(left, right, bottom, 'stroke="#333"')]


def legend(names, y):
    parts, x = [], LEFT
    for name in names:
        parts.append(f'<rect x="{x}" y="{y - 9}" width="10" height="10" fill="{colour(name)}"/>'
                     + text(x + 14, y, report.title(name)))
        # An estimate, as there is no font to measure; generous, so that nothing overlaps.
        x += 34 + 6 * len(report.title(name))
    return parts


def write(path, data):
    """A row per model, a column per thread count; nothing where edgeconv or all peers were not measured."""
    measured = {name: found for name, found in data["models"].items() if any(found.get("speed", {}).get("ratios", {}).values())}
    if not measured:
        return False
    threads = sorted({t for found in measured.values() for t in found["speed"]["ratios"]})
    shown = [name for name in PEERS if PEERS[name].int8
             and any(name in row for found in measured.values() for row in found["speed"]["ratios"].values())]
    parts = [text(LEFT, 20, "Time of each int8 peer / time of edgeconv, by batch x tokens. Blue: edgeconv. Red: goal against the fastest.", 'font-size="13"')] + legend(shown, 38)
    top = TOP
    for name, found in measured.items():
        for column, count in enumerate(threads):
            ratios = found["speed"]["ratios"].get(count)
            if not ratios:
                continue
            left = LEFT + column * (PLOT_WIDTH + GAP_X)
            parts.append(text(left, top + 4, f'{found["title"]}, {report.threads_text(count)}', 'font-size="12"'))
            parts += chart(ratios, found["shapes"], goal_of(name, found["speed"]["isa"].get("edgeconv"), count, data["machine"]), left, top + 14)
        top += PLOT_HEIGHT + GAP_Y
    machine = data["machine"]
    parts.append(text(LEFT, top - 14, f'{machine["cpu"]} (family {machine["family"]} model {machine["model"]}), '
                                      f'{machine["cores"]} cores, {machine["date"]}', 'fill="#666"'))
    width = LEFT + len(threads) * (PLOT_WIDTH + GAP_X)
    head = (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{top}" font-family="sans-serif" font-size="11">\n'
            '<rect width="100%" height="100%" fill="white"/>\n')
    with open(path, "w", encoding="utf-8") as file:
        file.write(head + "\n".join(parts) + "\n</svg>\n")
    return True
