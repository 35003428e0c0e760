// Measures what the browser shows of a page of `trevni describe --html`, and leaves it as JSON in the document.
const all = (selector) => [...document.querySelectorAll(selector)];
const box = (element) => element.getBoundingClientRect();
const isShown = (element) => box(element).width > 0 && box(element).height > 0;
const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);
const edge = (rect) => getComputedStyle(rect).stroke === "none" ? 0 : parseFloat(getComputedStyle(rect).strokeWidth);
// Whether the edges of blocks leave little of the blocks.
const isCovered = (svg) => {
  const rects = [...svg.querySelectorAll("rect")];
  return sum(rects.map(edge)) > sum(rects.map((rect) => box(rect).width)) / 2;
};
const text = (element) => element.textContent.trim();
const result = {
  title: text(document.querySelector("h1")),
  summary: text(document.querySelector("header p")),
  columns: all(".column").filter(isShown).map((column) => ({
    name: text(column.querySelector("h3")),
    facts: Object.fromEntries([...column.querySelectorAll("dt")].map((dt) => [text(dt), text(dt.nextSibling)])),
    bins: [...column.querySelectorAll("svg rect")].filter(isShown).length,
    top: [...column.querySelectorAll(".top tr")].filter(isShown).map((row) => text(row.cells[0])),
  })),
  sizes: all(".sizes td.bar i").filter(isShown).length,
  blocks: all(".blocks svg rect").filter(isShown).length,
  hidden: all("rect, .bar i").filter((element) => !isShown(element)).length,
  covered: all(".blocks svg").filter(isCovered).length,
  unlabeled: all("svg").filter((svg) => svg.getAttribute("role") !== "img" || !svg.getAttribute("aria-label")).length,
  overflow: all("body *").filter((element) => box(element).right > pageWidth + 1).map((element) => element.tagName),
  scripts: all("script[src], link, img, iframe, object").length,
  background: getComputedStyle(document.body).backgroundColor,
};
document.body.innerHTML = "";
const pre = document.createElement("pre");
pre.id = "result";
pre.textContent = JSON.stringify(result);
document.body.append(pre);
