/** The pool as people see it. */
import { run, submit } from "../support/api.js";
import { expect, expectAccessible, signedIn as test } from "../support/fixtures.js";
import { extract, visit } from "../support/recordings.js";

test("instances are shown with what they do, live", async ({ page, request, room }) => {
  await run(request, { flow: visit("Warms up", `${room.site.url}/help`) });
  await page.goto("/pool");
  await expect(page.getByRole("status").filter({ hasText: "Live" })).toBeVisible();
  const rows = page.getByRole("row").filter({ hasText: /idle|busy/ });
  await expect(rows.first()).toBeVisible();
  await expectAccessible(page);
  const slow = visit("Holds a slot", `${room.site.url}/trouble/slow?ms=4000`, extract("answer", "#answer"));
  await submit(request, { flow: slow });
  await expect(page.getByRole("row").filter({ hasText: "busy" }).first()).toBeVisible();
  await expect(page.getByRole("row").filter({ hasText: "busy" })).toHaveCount(0, { timeout: 15_000 });
});

test("slots are set, and a number that is none is refused", async ({ page }) => {
  await page.goto("/pool");
  const slots = page.getByRole("spinbutton", { name: "Slots" });
  const before = await slots.inputValue();
  await slots.fill("3");
  await page.getByRole("button", { name: "Set" }).click();
  await expect(page.getByRole("status").filter({ hasText: "3 slots from now on." })).toBeVisible();
  await page.getByRole("spinbutton", { name: "Slots" }).fill(before);
  await page.getByRole("button", { name: "Set" }).click();
  await expect(page.getByRole("spinbutton", { name: "Slots" })).toHaveValue(before);
});

test("an instance is recycled and its place is taken by another", async ({ page, request, room }) => {
  await run(request, { flow: visit("Warms up", `${room.site.url}/help`) });
  await page.goto("/pool");
  const row = page.getByRole("row").filter({ hasText: "idle" }).first();
  const id = await row.locator("code").first().textContent();
  await row.getByRole("button", { name: "Recycle" }).click();
  await expect(page.getByRole("status").filter({ hasText: "is replaced" })).toBeVisible();
  await expect(page.getByRole("row").filter({ hasText: id ?? "" })).toHaveCount(0, { timeout: 20_000 });
  await run(request, { flow: visit("Runs in another", `${room.site.url}/help`) });
});
