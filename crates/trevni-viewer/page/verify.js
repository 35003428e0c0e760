// Verifies the blocks of all columns, and shows the faults.

import { create, escaped, number } from "./elements.js";

/** Verifies all columns, one after another. */
export async function verify({ button, progress, verdict, faults }, columns, ask) {
  button.disabled = true;
  faults.replaceChildren();
  progress.max = columns.length;
  let [blocks, verified, bad] = [0, 0, 0];
  for (let column = 0; column < columns.length; column += 1) {
    verdict.textContent = `Verifying ${escaped(columns[column].name)}`;
    try {
      const seen = await ask({ do: "verify", column });
      blocks += seen.blocks;
      verified += seen.verified;
      bad += seen.faults.length;
      faults.append(...seen.faults.map((fault) => create("li", fault)));
    } catch (error) {
      bad += 1;
      faults.append(create("li", error.message));
    }
    progress.value = column + 1;
  }
  const found = bad === 0 ? "No faults" : bad === 1 ? "1 fault" : `${number.format(bad)} faults`;
  verdict.textContent = `${found}: ${number.format(blocks)} blocks, ${number.format(verified)} verified by checksum`;
  button.disabled = false;
}
