// Measures what the browser shows of a page of `trevni describe --html`, and leaves it as JSON in the document.
const all = (selector) => [...document.querySelectorAll(selector)];
const box = (element) => element.getBoundingClientRect();
const isShown = (element) => box(element).width > 0 && box(element).height > 0;
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
  overflow: all("body *").filter((element) => box(element).right > innerWidth + 1).map((element) => element.tagName),
  scripts: all("script[src], link, img, iframe, object").length,
  background: getComputedStyle(document.body).backgroundColor,
};
document.body.innerHTML = "";
const pre = document.createElement("pre");
pre.id = "result";
pre.textContent = JSON.stringify(result);
document.body.append(pre);
