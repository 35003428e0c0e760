// The values of a column: its bounds, a histogram, and the most frequent ones.

import { create, number } from "./elements.js";

function histogram(counts) {
  const bars = create("div", undefined, "bars");
  bars.setAttribute("role", "img");
  bars.setAttribute("aria-label", `Histogram of ${counts.length} bars: ${counts.join(", ")}`);
  const most = Math.max(...counts);
  for (const count of counts) {
    const bar = create("span");
    bar.style.height = `${(100 * count) / most}%`;
    bar.title = number.format(count);
    bars.append(bar);
  }
  return bars;
}

function frequent(values) {
  const table = create("table");
  for (const [value, count] of values) {
    const row = create("tr");
    row.append(create("td", value), create("td", number.format(count), "number"));
    table.append(row);
  }
  return table;
}

/** Reads a column, and shows its values. */
export async function showValues(place, column, ask) {
  place.replaceChildren(create("p", "Reading the column."));
  try {
    const found = await ask({ do: "values", column });
    const facts = [`${number.format(found.rows)} rows`, `${number.format(found.nulls)} nulls`];
    if (found.min !== null) facts.push(`${found.min} to ${found.max}`);
    place.replaceChildren(create("p", facts.join(", ")));
    if (found.bars.length > 0) place.append(histogram(found.bars));
    if (found.top.length > 0) {
      const which = found.complete ? "Most frequent" : "Most frequent of the first values";
      place.append(create("p", which), frequent(found.top));
    }
  } catch (error) {
    place.replaceChildren(create("p", error.message));
  }
}
