/** The same with JavaScript switched off: forms, lists and results are whole without it. */
import { expect, signedIn as test } from "../support/fixtures.js";
import { goTo, recordingField, reloadUntil, sendTask, taskState } from "../support/pages.js";
import { exampleText } from "../support/recordings.js";

test.use({ javaScriptEnabled: false });

test("a recording is checked, submitted and its result read", async ({ page, room }) => {
  await page.goto("/");
  await goTo(page, "Submit");
  const text = exampleText("search-and-extract", room.site);
  await recordingField(page).fill(text);
  await page.getByRole("button", { name: "Check only" }).click();
  await expect(page.getByRole("listitem").filter({ hasText: "Set “Search the shop” to “{{query}}”" })).toBeVisible();
  await expect(recordingField(page)).toHaveValue(text);
  await page.getByRole("textbox", { name: "query", exact: true }).fill("lantern");
  await sendTask(page);
  await reloadUntil(page, async () => {
    await expect(taskState(page)).toContainText("succeeded", { timeout: 500 });
  });
  await expect(page.getByRole("region", { name: "Result" }).getByText("Halden lantern")).toBeVisible();
});

test("a parameter can be given as a line, without a check before", async ({ page, room }) => {
  await page.goto("/submit");
  await recordingField(page).fill(exampleText("search-and-extract", room.site));
  await page.getByLabel(/^Parameters, one a line/).fill("query=folding rule");
  await sendTask(page);
  await reloadUntil(page, async () => {
    const result = page.getByRole("region", { name: "Result" });
    await expect(result.getByText("Halden folding rule")).toBeVisible({ timeout: 500 });
  });
});

test("a faulty recording comes back with its faults and as it was typed", async ({ page }) => {
  await page.goto("/submit");
  const faulty = JSON.stringify({ title: "Faulty", steps: [{ type: "fly" }] });
  await recordingField(page).fill(faulty);
  await page.getByRole("button", { name: "Submit the task" }).click();
  await expect(page.getByRole("listitem").filter({ hasText: "Step 1, type:" })).toContainText("fly");
  await expect(recordingField(page)).toHaveValue(faulty);
});

test("a quick check runs", async ({ page, room }) => {
  await page.goto("/submit?way=quick");
  await page.getByLabel("Address").fill(`${room.site.url}/help`);
  await page.getByRole("radio", { name: /^Extract/ }).check();
  await page.getByRole("textbox", { name: "Selector" }).fill("h1");
  await sendTask(page);
  await reloadUntil(page, async () => {
    await expect(taskState(page)).toContainText("succeeded", { timeout: 500 });
  });
});

test("the theme is chosen and stays", async ({ page }) => {
  await page.goto("/pool");
  await page.getByRole("button", { name: "dark" }).click();
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
  await goTo(page, "Tasks");
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
  await page.getByRole("button", { name: "as the system" }).click();
  await expect(page.locator("html")).not.toHaveAttribute("data-theme", "dark");
});

test("a site's breaker is opened, and closed again knowingly", async ({ page }) => {
  await page.goto("/breaker");
  const form = page.getByRole("form", { name: "Open a site's breaker" });
  await form.getByLabel("Site").fill("https://Unscripted.test/cart");
  await form.getByLabel("Reason").fill("down for the night");
  await form.getByRole("button", { name: "Open a site's breaker" }).click();
  await expect(page.getByRole("status").filter({ hasText: "The breaker of unscripted.test is open." })).toBeVisible();
  const row = page.getByRole("row").filter({ hasText: "unscripted.test" });
  await expect(row).toContainText("down for the night");
  await row.getByText("Close by hand").first().click();
  await row.getByLabel("Reason").fill("it is up again");
  await row.getByLabel("I know that waiting tasks start at once").check();
  await row.getByRole("button", { name: "Close by hand" }).click();
  await expect(page.getByRole("status").filter({ hasText: "The breaker of unscripted.test is closed." })).toBeVisible();
  await expect(page.getByRole("row").filter({ hasText: "unscripted.test" })).toHaveCount(0);
});
