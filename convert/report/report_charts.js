"use strict";
// Charts as SVG of the page's width: axes with round steps, and a line of text for the mark under the pointer.
const draw = (parent, name, attributes, text) => {
  // The page has no address of the SVG namespace in it: an element that the parser made knows it.
  const element = document.createElementNS(parent.namespaceURI, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text !== undefined) element.textContent = text;
  parent.append(element);
  return element;
};

// Steps of 1, 2 or 5 times a power of ten, none below `least`, at most `count` of them.
function ticks(low, high, count, least) {
  const rough = Math.max((high - low) / Math.max(1, count), least), power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((m) => m * power).find((m) => m >= rough * (1 - 1e-9));
  const list = [];
  for (let v = Math.ceil(low / step) * step; v <= high + step * 1e-6; v += step) list.push(v);
  return list;
}

// chart: {bars: [{value, kind, text}]} or {points: [{x, value, text}]}, with xTitle, yTitle, show(value), limit?. x are whole numbers.
function chart(holder, data) {
  const render = () => {
    holder.innerHTML = "<svg role='img'></svg><p></p>";
    const svg = holder.firstChild, says = holder.lastChild, width = Math.max(260, holder.clientWidth - 12), height = 240;
    const left = 64, right = 10, top = 22, bottom = 36, marks = data.bars || data.points;
    svg.setAttribute("viewBox", "0 0 " + width + " " + height);
    svg.setAttribute("aria-label", data.yTitle + " over " + data.xTitle);
    const most = Math.max(1e-9, data.limit || 0, ...marks.map((m) => m.value ?? 0)) * 1.04;
    const y = (v) => top + (height - top - bottom) * (1 - v / most);
    const low = data.bars ? 0 : Math.min(...marks.map((m) => m.x)), high = data.bars ? marks.length : Math.max(...marks.map((m) => m.x));
    const x = (v) => left + (width - left - right) * (high > low ? (v - low) / (high - low) : .5);
    for (const v of ticks(0, most, 4, 1e-12)) {
      draw(svg, "line", {x1: left, x2: width - right, y1: y(v), y2: y(v), class: "grid"});
      draw(svg, "text", {x: left - 5, y: y(v) + 4, "text-anchor": "end"}, data.show(v));
    }
    // Layers, ops and dims are whole numbers; where a label would touch the one before it there is none.
    let free = -Infinity;
    for (const v of ticks(low, high, Math.max(4, width / 110), 1).filter((t) => !data.bars || t < high)) {
      const at = x(data.bars ? v + .5 : v);
      const label = draw(svg, "text", {x: at, y: height - bottom + 14, "text-anchor": at > width - 40 ? "end" : "middle"}, v);
      const box = label.getBBox();
      if (box.x < free) label.remove();
      else free = box.x + box.width + 6;
    }
    draw(svg, "line", {x1: left, x2: left, y1: top, y2: height - bottom, class: "axis"});
    draw(svg, "line", {x1: left, x2: width - right, y1: height - bottom, y2: height - bottom, class: "axis"});
    draw(svg, "text", {x: (left + width) / 2, y: height - 4, "text-anchor": "middle"}, data.xTitle);
    draw(svg, "text", {x: 4, y: 13}, data.yTitle);
    if (data.limit) draw(svg, "line", {x1: left, x2: width - right, y1: y(data.limit), y2: y(data.limit), class: "limit"});
    if (data.points) draw(svg, "polyline", {points: marks.map((m) => x(m.x) + "," + y(m.value)).join(" "), class: "curve"});
    marks.forEach((mark, i) => {
      if (mark.value === null) return;
      const wide = (width - left - right) / Math.max(1, high - low);
      const shape = data.points ? draw(svg, "circle", {cx: x(mark.x), cy: y(mark.value), r: 4, class: "mark int8"}) :
        draw(svg, "rect", {x: x(i) + wide * .06, y: y(mark.value), width: Math.max(.5, wide * .88), height: Math.max(.5, y(0) - y(mark.value)),
          class: "mark " + mark.kind});
      for (const event of ["mouseenter", "click"]) shape.addEventListener(event, () => { says.textContent = mark.text; });
      draw(shape, "title", {}, mark.text);
    });
    says.textContent = data.first || "";
  };
  render();
  let drawn = holder.clientWidth;
  addEventListener("resize", () => {
    if (holder.clientWidth !== drawn) { drawn = holder.clientWidth; render(); }
  });
}
