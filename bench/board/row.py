"""The row to add to a table: date, machine, level, commit, versions; microseconds at each shape and, beside peers, how much longer the closest int8 one takes."""
import statistics

MOST_WANDER = 1.1  # of a loop of arithmetic, as ert-bench warns


def text(facts, shapes, us, closest):
    """Markdown: the heads, their line and the row. `facts` are (head, cell)."""
    cells = [f"{us[shape]:,.0f}" + (f"; {closest[shape][1]:.2f}" if shape in closest else "") for shape in shapes]
    ratios = [closest[shape][1] for shape in shapes if shape in closest]
    geomean = f"{statistics.geometric_mean(ratios):.2f}" if len(ratios) == len(shapes) else ""
    heads = [head for head, _ in facts] + list(shapes) + ["geomean"]
    row = [str(cell).replace("|", "/") for _, cell in facts] + cells + [geomean]
    return "\n".join(f"| {' | '.join(line)} |" for line in (heads, ["---"] * len(heads), row))


def legend(shapes, closest):
    """What the cells of the shapes are."""
    if not closest:
        return "At each shape: microseconds of edgeconv."
    names = {}
    for shape in shapes:
        if shape in closest:
            names.setdefault(closest[shape][0], []).append(shape)
    return "At each shape: microseconds of edgeconv; closest int8 peer / edgeconv (above 1: edgeconv is faster). Closest: " \
           + "; ".join(f"{name} at {', '.join(where)}" for name, where in names.items()) + "."


def clock_warning(loops):
    """A line if the clock moved between ert-bench's loops of arithmetic (microseconds, least and most of each run), else None."""
    if not loops or max(loops) <= MOST_WANDER * min(loops):
        return None
    return f"the clock moved: the same loop of arithmetic took {min(loops):.0f} to {max(loops):.0f} us; cool the board, fix the frequency, and measure again"
