"""A bar chart of the speed figures, as SVG written by hand so that no plotting library is needed."""
from xml.sax.saxutils import escape

import report
from peers import PEERS

OUR_COLOURS = ("#1f5fa8", "#5b93d0", "#96bde8", "#123a68")
PEER_COLOURS = ("#9a9a9a", "#e0a030", "#c8641e", "#5a9e4b", "#8a5fb0", "#4aa7a7", "#b04a6a")
LEFT, TOP, PLOT_WIDTH, PLOT_HEIGHT, GAP = 60, 40, 860, 220, 70


def colours(names):
    """Blues for edgeconv; each peer keeps its colour whoever else was measured."""
    ours = [name for name in names if name not in PEERS]
    peers = list(PEERS)
    return {name: OUR_COLOURS[ours.index(name) % len(OUR_COLOURS)] if name in ours
            else PEER_COLOURS[peers.index(name) % len(PEER_COLOURS)] for name in names}


def bars(results, base, shapes, top):
    """SVG of one thread count: how many times faster than `base` each one is, at each shape."""
    fill = colours(results)
    names = list(results)
    group = PLOT_WIDTH / len(shapes)
    width = group * 0.84 / len(names)
    factors = {name: [results[base][s]["median_us"] / results[name][s]["median_us"] for s in shapes] for name in names}
    largest = max(max(row) for row in factors.values())
    scale = PLOT_HEIGHT / (largest * 1.08)
    bottom = top + PLOT_HEIGHT
    parts = [f'<line x1="{LEFT}" y1="{bottom}" x2="{LEFT + PLOT_WIDTH}" y2="{bottom}" stroke="#333"/>']
    step = next((s for s in (0.5, 1, 2, 5, 10) if largest / s <= 8), 20)
    mark = step
    while mark <= largest:
        y = bottom - mark * scale
        parts.append(f'<line x1="{LEFT}" y1="{y:.1f}" x2="{LEFT + PLOT_WIDTH}" y2="{y:.1f}" stroke="#ddd"/>'
                     f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{mark:g}x</text>')
        mark += step
    for place, shape in enumerate(shapes):
        start = LEFT + place * group + group * 0.08
        for index, name in enumerate(names):
            height = factors[name][place] * scale
            parts.append(f'<rect x="{start + index * width:.1f}" y="{bottom - height:.1f}" width="{width * 0.92:.1f}" '
                         f'height="{height:.1f}" fill="{fill[name]}">'
                         f"<title>{escape(report.title(name))} {shape}: {factors[name][place]:.2f}x</title></rect>")
        middle = LEFT + (place + 0.5) * group
        parts.append(f'<text x="{middle:.1f}" y="{bottom + 16}" text-anchor="middle">{shape}</text>')
    return parts


def legend(names, y):
    """Its SVG, over as many lines as it needs, and the height of the last one."""
    parts, x = [], LEFT
    for name, fill in colours(names).items():
        # An estimate, as there is no font to measure; generous, so that nothing overlaps.
        width = 34 + 6 * len(report.title(name))
        if x + width > LEFT + PLOT_WIDTH:
            x, y = LEFT, y + 16
        parts.append(f'<rect x="{x}" y="{y - 9}" width="10" height="10" fill="{fill}"/>'
                     f'<text x="{x + 14}" y="{y}">{escape(report.title(name))}</text>')
        x += width
    return parts, y


def write(path, data, shapes):
    """One chart per thread count; nothing when the row they are relative to was not measured."""
    base = "ort_fp32"
    charts = [(threads, results) for threads, results in data["speed"]["results"].items() if base in results]
    if not charts:
        return False
    names = max((list(results) for _, results in charts), key=len)
    parts, top = [], TOP
    for threads, results in charts:
        heading = f"Times faster than ONNX Runtime fp32, {threads} thread{'s' if threads > 1 else ''}, batch x tokens"
        parts.append(f'<text x="{LEFT}" y="{top - 12}" font-size="13">{heading}</text>')
        # In the order of the legend, so that a colour means the same one in every chart.
        parts += bars({name: results[name] for name in names if name in results}, base, shapes, top)
        top += PLOT_HEIGHT + GAP
    machine = data["machine"]
    labels, bottom = legend(names, top - 14)
    parts += labels
    parts.append(f'<text x="{LEFT}" y="{bottom + 20}" fill="#666">{escape(machine["cpu"])}, {machine["date"]}</text>')
    head = (f'<svg xmlns="http://www.w3.org/2000/svg" width="{LEFT + PLOT_WIDTH + 20}" height="{bottom + 32}" '
            'font-family="sans-serif" font-size="11">\n<rect width="100%" height="100%" fill="white"/>\n')
    with open(path, "w", encoding="utf-8") as file:
        file.write(head + "\n".join(parts) + "\n</svg>\n")
    return True
