/** What a page's code weighs: what a browser that has nothing yet loads, and what one that was there before does. */
import type { Page } from "@playwright/test";

import { expect, signedIn as test } from "../support/fixtures.js";

/** WASM and JavaScript in bytes, compressed, where this is the first page that a browser ever opens. */
const MOST_BYTES = { "/": 200_000, "/tasks": 300_000, "/orders": 300_000, "/breaker": 300_000 };
/** Files, each a request of its own. */
const MOST_FILES = 60;

interface File {
  name: string;
  bytes: number;
  fromCache: boolean;
}

/** Opens a page until it lives: the code that it loaded. */
async function code(page: Page, path: string): Promise<File[]> {
  await page.goto(path);
  await expect(page.locator(".link[data-link=live]").first()).toBeVisible();
  return page.evaluate(() =>
    (performance.getEntriesByType("resource") as PerformanceResourceTiming[])
      .filter((file) => /\.(js|wasm)$/.test(file.name))
      .map((file) => ({
        name: file.name.replace(/.*\//, ""),
        bytes: file.encodedBodySize,
        fromCache: file.transferSize === 0,
      })),
  );
}

for (const [path, most] of Object.entries(MOST_BYTES)) {
  test(`${path} loads at most ${most / 1000} kB of code, and loads it once`, async ({ page }) => {
    const first = await code(page, path);
    const bytes = first.reduce((sum, file) => sum + file.bytes, 0);
    console.log(`${path}: ${(bytes / 1000).toFixed(1)} kB in ${first.length} files`);
    expect(bytes).toBeLessThanOrEqual(most);
    expect(first.length).toBeLessThanOrEqual(MOST_FILES);
    const again = await code(page, path);
    expect(again.filter((file) => !file.fromCache)).toEqual([]);
  });
}
