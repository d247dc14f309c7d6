#!/usr/bin/env python3
"""The page of --report in a real browser (chromium, headless): at three widths, in light and dark, nothing leaves the page, no cell is higher than three
lines, charts and tables are there, sorting sorts, hovering tells. Screenshots go to a folder, to be looked at.

usage: report_browser_test.py EDGECONV SOURCE_FOLDER [SCREENSHOTS]
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

EDGECONV, SOURCE = (str(pathlib.Path(path).resolve()) for path in sys.argv[1:3])
SHOTS = pathlib.Path(sys.argv[3]) if len(sys.argv) > 3 else None
BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FIXTURES = pathlib.Path(SOURCE) / "tests/fixtures"
MODELS = {"bert": (FIXTURES / "bert_base_ts14/model.onnx", []),
          "langid": (pathlib.Path(SOURCE) / "tests/models/langid/langid.onnx", []),
          "refused": (FIXTURES / "mlp_ts13/model.onnx", ["--precision", "int8", "--max-loss", "1e-9", "--dim", "batch=2"])}
WIDTHS = (400, 1280, 1920)

# Stands at the end of a copy of the page and leaves what it found in the title, which --dump-dom shows.
PROBE = """<script>addEventListener("load", () => setTimeout(() => {
  const found = {faults: []}, root = document.documentElement;
  found.width = root.clientWidth;
  if (root.scrollWidth > root.clientWidth) found.faults.push("the page is " + root.scrollWidth + " wide in " + root.clientWidth);
  if (root.clientWidth >= 1200)  // narrow windows scroll wide tables
    for (const e of document.querySelectorAll(".scroll"))
      if (e.scrollWidth > e.clientWidth) found.faults.push("a table is " + e.scrollWidth + " wide in " + e.clientWidth);
  for (const e of document.querySelectorAll("body *")) {
    if (e.closest(".scroll") || e.closest("svg")) continue;
    const r = e.getBoundingClientRect();
    if (r.width && (r.right > root.clientWidth + 1 || r.left < -1)) found.faults.push(e.tagName + "#" + e.id + " reaches from " + r.left + " to " + r.right);
  }
  for (const svg of document.querySelectorAll("svg")) {
    const labels = [...svg.querySelectorAll("text")], boxes = labels.map((e) => e.getBoundingClientRect());
    boxes.forEach((a, i) => boxes.slice(0, i).forEach((b, j) => {
      if (a.left < b.right && b.left < a.right && a.top + 2 < b.bottom && b.top + 2 < a.bottom)
        found.faults.push("labels '" + labels[j].textContent + "' and '" + labels[i].textContent + "' of a chart overlap");
    }));
    if (labels.some((e) => /^\d+\.\d{3,}$/.test(e.textContent))) found.faults.push("a chart counts in fractions");
  }
  for (const e of document.querySelectorAll("svg text")) {
    const r = e.getBoundingClientRect(), s = e.closest("svg").getBoundingClientRect();
    if (r.right > s.right + 1 || r.left < s.left - 1) found.faults.push("label '" + e.textContent + "' leaves its chart");
  }
  for (const cell of document.querySelectorAll("td, th")) {
    const style = getComputedStyle(cell), line = parseFloat(style.lineHeight), inner = cell.clientHeight - parseFloat(style.paddingTop) - parseFloat(style.paddingBottom);
    if (inner > 3.3 * line) found.faults.push("a cell has " + (inner / line).toFixed(1) + " lines: " + cell.textContent.slice(0, 60));
  }
  found.cut = [...document.querySelectorAll("td.why > div")].filter((e) => e.scrollHeight > e.clientHeight + 1).length;
  found.charts = document.querySelectorAll(".chart svg .mark").length;
  found.rows = document.querySelectorAll("#layers tbody tr").length;
  found.verdict = document.getElementById("verdict").textContent;
  found.paper = getComputedStyle(document.body).backgroundColor;
  const mark = document.querySelector("#layer-chart .mark");
  if (mark) { mark.dispatchEvent(new MouseEvent("mouseenter")); found.hover = document.querySelector("#layer-chart p").textContent; }
  const heads = [...document.querySelectorAll("#layers th button")], bytes = heads.findIndex((b) => b.textContent === "k x n");
  if (bytes >= 0) {
    heads[bytes].click();
    found.sorted = [...document.querySelectorAll("#layers tbody tr")].map((r) => { const [k, n] = r.cells[bytes].textContent.split(" x "); return k * n; });
  }
  document.title = "PROBE" + encodeURIComponent(JSON.stringify(found)) + "EBORP";
}, 200));</script>"""


def browse(page, width, *options):
    with tempfile.TemporaryDirectory() as profile:
        # The window of the new headless mode has a frame and a least width; a device of this width has neither.
        return subprocess.run([BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars", f"--user-data-dir={profile}",
                               "--host-resolver-rules=MAP * ~NOTFOUND", f"--window-size={width},4000", "--virtual-time-budget=4000", *options, page.as_uri()],
                              capture_output=True, text=True, timeout=240, check=True).stdout


def in_frame(folder, page, width):
    """A page that shows `page` in a frame of exactly this width: windows have a least width of their own. The title of the frame becomes that of the page."""
    frame = folder / f"{page.stem}_{width}.html"
    frame.write_text(f"<!DOCTYPE html><body style='margin:0'><iframe id=f src='{page.name}' style='width:{width}px;height:3900px;border:0'></iframe>"
                     "<script>setInterval(() => { try { document.title = document.getElementById('f').contentDocument.title; } catch (e) {} }, 50);</script>")
    return frame


class ReportInBrowser(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temporary.name)
        for name, (model, options) in MODELS.items():
            page = cls.folder / f"{name}.html"
            done = subprocess.run([EDGECONV, str(model), "-q", "-o", str(cls.folder / "m.ert"), "--report", str(page), *options], capture_output=True,
                                  text=True, timeout=300, check=False)
            assert done.returncode in (0, 7) and page.exists(), done.stderr
            text = page.read_text(encoding="utf-8")
            (cls.folder / f"{name}_probe.html").write_text(text.replace("</body>", PROBE + "</body>"), encoding="utf-8")
        # Names as exporters make them, too long for any column.
        text = (cls.folder / "bert_probe.html").read_text(encoding="utf-8")
        longer = text.replace('"why":"', '"why":"' + "because of a reason that is very much longer than any that was written so far, and goes on " * 4)
        (cls.folder / "long_probe.html").write_text(longer.replace('"layer_table":[{"name":"', '"layer_table":[{"name":"/encoder/' + "a_very_long_name" * 12),
                                                    encoding="utf-8")

        # Numbers and reasons as long as those of real text detection: its table was wider than the page, and its reasons were cut.
        wide = re.sub(r'"(largest_input|outlier_index|smoothed_outlier_index)":[^,}]*', r'"\1":2041.5', text)
        wide = re.sub(r'"why":"[^"]*"', '"why":"lifted for cosine 0.999: 34 in int8, 0 in w8a16 and 16 in fp32 gave 0.947587"', wide)
        (cls.folder / "wide_probe.html").write_text(re.sub(r'"(k|n)":\d+', r'"\1":3072', wide), encoding="utf-8")

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def probe(self, name, width, *options):
        page = in_frame(self.folder, self.folder / f"{name}_probe.html", width)
        dom = browse(page, width, "--allow-file-access-from-files", "--dump-dom", *options)
        found = re.search("PROBE(.*?)EBORP", dom)
        self.assertIsNotNone(found, dom[:2000])
        from urllib.parse import unquote
        return json.loads(unquote(found.group(1)))

    def test_widths(self):
        for name in (*MODELS, "long"):
            for width in WIDTHS:
                with self.subTest(name=name, width=width):
                    found = self.probe(name, width)
                    self.assertEqual(found["width"], width)
                    self.assertEqual(found["faults"], [])
                    self.assertGreater(found["rows"], 0)
                    self.assertGreater(found["charts"], found["rows"])
                    self.assertIn("Not passed" if name == "refused" else "cosine", found["verdict"])
                    self.assertTrue(found["hover"].startswith("0: "), found["hover"])
                    self.assertEqual(found["sorted"], sorted(found["sorted"]))

    def test_wide_numbers_leave_room_for_reasons(self):
        for width in WIDTHS:
            found = self.probe("wide", width)
            self.assertEqual((found["faults"], found["cut"]), ([], 0), width)

    def test_the_probe_can_fail(self):
        text = (self.folder / "bert_probe.html").read_text(encoding="utf-8")
        broken = text.replace("-webkit-line-clamp: 3;", "").replace("min-width: 9em;", "max-width: 4em;").replace(
            "</h1>", "</h1><div style='width:3000px'>x</div>", 1).replace("width / 110", "width / 11").replace("label.remove()", "0")
        (self.folder / "broken_probe.html").write_text(broken, encoding="utf-8")
        faults = self.probe("broken", 1280)["faults"]
        self.assertTrue(any("wide in" in f for f in faults), faults)
        self.assertTrue(any("overlap" in f for f in faults), faults)

    def test_dark(self):
        light, dark = self.probe("bert", 1280), self.probe("bert", 1280, "--blink-settings=preferredColorScheme=0")
        self.assertNotEqual(light["paper"], dark["paper"])

    def test_screenshots(self):
        folder = SHOTS or self.folder
        folder.mkdir(parents=True, exist_ok=True)
        for name in MODELS:
            for width in WIDTHS:
                shot = folder / f"report_{name}_{width}.png"
                browse(in_frame(self.folder, self.folder / f"{name}.html", width), width, "--allow-file-access-from-files", f"--screenshot={shot}")
                self.assertGreater(shot.stat().st_size, 20000)
        browse(self.folder / "bert.html", 1280, "--blink-settings=preferredColorScheme=0", f"--screenshot={folder / 'report_bert_dark.png'}")
        pdf = folder / "report_bert.pdf"
        browse(self.folder / "bert.html", 1280, f"--print-to-pdf={pdf}", "--no-pdf-header-footer")
        self.assertTrue(pdf.read_bytes().startswith(b"%PDF"))


if __name__ == "__main__":
    if BROWSER is None:
        sys.exit("report_browser_test.py needs chromium (apt-get install chromium)")
    unittest.main(argv=sys.argv[:1])
