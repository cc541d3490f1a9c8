/** Flows: kept by name, shown in words, run by name. */
import { reaches } from "../support/api.js";
import { expect, expectAccessible, signedIn as test } from "../support/fixtures.js";
import { sendTask } from "../support/pages.js";
import { exampleText } from "../support/recordings.js";

test("a recording is saved by name, shown in words and run by its name", async ({ page, request, room }) => {
  await page.goto("/flows");
  await page.getByText("Save a recording as a flow").click();
  await expectAccessible(page);
  await page.getByLabel("Name", { exact: true }).fill("Find lamps");
  await page.getByLabel("Recording", { exact: true }).fill(exampleText("search-and-extract", room.site));
  await page.getByRole("button", { name: "Save", exact: true }).click();

  await expect(page).toHaveURL(/\/flows\/find-lamps/);
  await expect(page.getByRole("status").filter({ hasText: "Saved as version" })).toBeVisible();
  const steps = page.getByRole("listitem");
  await expect(steps.filter({ hasText: "Set “Search the shop” to “{{query}}”" })).toBeVisible();
  await expect(page.getByRole("rowheader", { name: "query" })).toBeVisible();
  await expectAccessible(page);

  await page.getByRole("link", { name: "Run this flow" }).click();
  await page.getByRole("textbox", { name: "query" }).fill("bench vice");
  const done = await reaches(request, await sendTask(page), "succeeded");
  expect(done.flow.name).toBe("find-lamps");
  expect(done.result?.["names"]).toHaveLength(10);

  await page.goto("/flows");
  const row = page.getByRole("row").filter({ hasText: "find-lamps" });
  await expect(row).toContainText(room.site.domain);
  await expect(row).toContainText("query");
});

test("a faulty recording is refused with what was typed", async ({ page }) => {
  await page.goto("/flows");
  await page.getByText("Save a recording as a flow").click();
  await page.getByLabel("Recording", { exact: true }).fill('{"title": "Faulty", "steps": [{"type": "fly"}]}');
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await expect(page.getByRole("alert")).toContainText("Step 1, type:");
  await expect(page.getByLabel("Recording", { exact: true })).toHaveValue(/Faulty/);
});
