/** Every page in light and dark, wide and narrow: accessible, and no wider than its window. */
import { run } from "../support/api.js";
import { expect, expectAccessible, signedIn as test } from "../support/fixtures.js";
import { extract, visit } from "../support/recordings.js";

const WIDE = { width: 1280, height: 800 };
const NARROW = { width: 360, height: 740 };
const LOOKS = [
  ["light-wide", "light", WIDE],
  ["dark-wide", "dark", WIDE],
  ["light-narrow", "light", NARROW],
] as const;

let task = "";
let flow = "";
let order = "";
let rule = "";

test.beforeAll(async ({ playwright, room, session }) => {
  const request = await playwright.request.newContext({ baseURL: room.url, storageState: session });
  const recording = visit("Looks at lanterns", `${room.site.url}/products?category=lanterns`, extract("names", ".card-name", true));
  task = (await run(request, { flow: recording })).id;
  const kept = await request.post("/api/v1/flows", { data: { flow: recording } });
  flow = ((await kept.json()) as { name: string }).name;
  const refused = await run(request, { flow: visit("Is refused", `${room.site.url}/trouble/forbidden`) }, "escalated");
  order = refused.order ?? "";
  // Claimed, so that its page has all that a reviewer works with.
  await request.post(`/api/v1/orders/${order}/claim`);
  const action = { kind: "rewrite_url", from: "http://shop.test/old", to: "http://shop.test/new" };
  const made = await request.post("/api/v1/rules", { data: { match: { domain: room.site.domain }, action } });
  rule = ((await made.json()) as { id: string }).id;
  await request.dispose();
});

const pages = [
  ["overview", () => "/"],
  ["submit", () => "/submit"],
  ["submit-quick", () => "/submit?way=quick"],
  ["submit-flow", () => "/submit?way=flow"],
  ["tasks", () => "/tasks"],
  ["task", () => `/tasks/${task}`],
  ["flows", () => "/flows"],
  ["flow", () => `/flows/${flow}`],
  ["pool", () => "/pool"],
  ["orders", () => "/orders?state=all"],
  ["order", () => `/orders/${order}`],
  ["rules", () => "/rules"],
  ["rule", () => `/rules/${rule}`],
  ["gates", () => "/gates"],
  ["breaker", () => "/breaker"],
  ["quarantine", () => "/quarantine"],
  ["not-found", () => "/nowhere"],
] as const;

for (const [look, colorScheme, viewport] of LOOKS) {
  test.describe(look, () => {
    test.use({ colorScheme, viewport });
    for (const [name, path] of pages) {
      test(name, async ({ page }) => {
        const faults: string[] = [];
        page.on("pageerror", (error) => faults.push(error.message));
        page.on("console", (message) => {
          // That a page is not there is what the one page is for.
          const missing = message.type() === "error" && name === "not-found";
          // An island without code is a page that does not live: server and browser were built apart.
          const counts = message.type() === "error" || /island|wasm/i.test(message.text());
          if (counts && !missing) faults.push(message.text());
        });
        await page.goto(path());
        await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
        await page.screenshot({ path: `screenshots/${name}-${look}.png`, fullPage: true, animations: "disabled" });
        await expectAccessible(page);
        const over = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
        expect(over, "pixels that the page is wider than its window").toBeLessThanOrEqual(0);
        expect(faults).toEqual([]);
      });
    }
  });
}
