/** The recordings that ship with the program, pointed at a test's own practice site. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";

import type { PracticeSite } from "./site.js";

const FOLDER = resolve(import.meta.dirname, "../../server/examples/recordings");
/** Where the recordings were made. */
const RECORDED_AT = "127.0.0.1:8123";

export type Example = "search-and-extract" | "sign-in-and-export-orders" | "checkout";

export interface Recording {
  title: string;
  steps: { type: string; [field: string]: unknown }[];
}

/** The text of an example, as a file to drop. */
export function exampleText(name: Example, site: PracticeSite): string {
  return readFileSync(resolve(FOLDER, `${name}.json`), "utf8").replaceAll(RECORDED_AT, site.domain);
}

export function example(name: Example, site: PracticeSite): Recording {
  return JSON.parse(exampleText(name, site)) as Recording;
}

/** A recording of one page, with steps of the test's own after it. */
export function visit(title: string, url: string, ...steps: Recording["steps"]): Recording {
  return { title, steps: [{ type: "navigate", url }, ...steps] };
}

/** A step that takes something from the page. */
export function extract(name: string, selector: string, all = false): Recording["steps"][number] {
  return { type: "customStep", name: "extract", parameters: { name, selectors: [[selector]], all } };
}
