/** The submit page: its ways, what it refuses, and that nothing typed is lost. */
import { expect, expectAccessible, signedIn as test } from "../support/fixtures.js";
import { reaches } from "../support/api.js";
import { dropRecording, recordingField, sendTask } from "../support/pages.js";
import { exampleText } from "../support/recordings.js";

test.beforeEach(async ({ page, room }) => {
  await room.site.reset();
  await page.goto("/submit");
});

test("a faulty recording is told by step and field before anything runs", async ({ page }) => {
  const faulty = { title: "Faulty", steps: [{ type: "navigate" }, { type: "fly" }] };
  await dropRecording(page, "faulty.json", JSON.stringify(faulty));
  const faults = page.getByRole("listitem");
  await expect(faults.filter({ hasText: "Step 1, url:" })).toBeVisible();
  await expect(faults.filter({ hasText: "Step 2, type:" })).toContainText("fly");
  await expectAccessible(page);
  await recordingField(page).fill("no JSON at all");
  await expect(faults.filter({ hasText: "is not JSON" })).toBeVisible();
});

test("a missing parameter is refused and nothing typed is lost", async ({ page, room }) => {
  const text = exampleText("sign-in-and-export-orders", room.site);
  await recordingField(page).fill(text);
  await page.getByRole("textbox", { name: "user" }).fill("ada@example.com");
  await page.getByRole("button", { name: "Submit the task" }).click();
  await expect(page.getByRole("alert")).toContainText("password");
  await expect(recordingField(page)).toHaveValue(text);
  await expect(page.getByRole("textbox", { name: "user" })).toHaveValue("ada@example.com");
  await expectAccessible(page);
  expect(await room.site.hits()).toEqual([]);
});

test("the orders are exported with user and password", async ({ page, request, room }) => {
  await recordingField(page).fill(exampleText("sign-in-and-export-orders", room.site));
  await page.getByRole("textbox", { name: "user" }).fill("ada@example.com");
  await page.getByRole("textbox", { name: "password" }).fill("practice");
  const done = await reaches(request, await sendTask(page), "succeeded");
  expect(done.result?.["numbers"]).toEqual([
    "H-104412",
    "H-103987",
    "H-103310",
    "H-102764",
    "H-101950",
    "H-100873",
  ]);
  expect(done.result?.["newest_total"]).toBe("€209.40");
});

test("an order is placed exactly once", async ({ page, request, room }) => {
  await recordingField(page).fill(exampleText("checkout", room.site));
  const done = await reaches(request, await sendTask(page), "succeeded");
  expect(done.result).toEqual({ order_number: "H-500001", total: "€126.85" });
  expect(await room.site.orders()).toBe(1);
});

test("an example that ships is one click away", async ({ page }) => {
  await page.getByRole("link", { name: /Search the lamp shop/ }).click();
  await expect(recordingField(page)).toHaveValue(/"Search the lamp shop"/);
  await expect(page.getByRole("textbox", { name: "query" })).toBeVisible();
});

test("a quick check extracts what a selector finds", async ({ page, request, room }) => {
  await page.getByRole("link", { name: "Quick check" }).click();
  await expectAccessible(page);
  await page.getByLabel("Address").fill(`${room.site.url}/products?category=lanterns`);
  await page.getByRole("radio", { name: /^Extract/ }).check();
  await page.getByRole("textbox", { name: "Selector" }).fill("ul.results .card-name");
  await page.getByRole("checkbox", { name: /Every match/ }).check();
  const done = await reaches(request, await sendTask(page), "succeeded");
  expect(done.result?.["found"]).toHaveLength(10);
});

test("a quick check of a page that is not there escalates", async ({ page, request, room }) => {
  await page.getByRole("link", { name: "Quick check" }).click();
  await page.getByLabel("Address").fill(`${room.site.url}/trouble/gone`);
  const ended = await reaches(request, await sendTask(page), "escalated");
  expect(ended.fault?.class).toBe("http_status");
});

test("an address that is none is refused by its field", async ({ page }) => {
  await page.getByRole("link", { name: "Quick check" }).click();
  await page.getByLabel("Address").fill("javascript://x");
  await page.getByRole("button", { name: "Submit the task" }).click();
  await expect(page.getByRole("alert")).toContainText("Address:");
  await expect(page.getByLabel("Address")).toHaveValue("javascript://x");
});

test("the same key is the same task", async ({ page, room }) => {
  const ids = [];
  for (let time = 0; time < 2; time++) {
    await page.goto("/submit?way=quick");
    await page.getByLabel("Address").fill(room.site.url);
    await page.getByText("Options").click();
    await page.getByLabel("Key", { exact: true }).fill("once-a-day");
    ids.push(await sendTask(page));
  }
  expect(ids[1]).toBe(ids[0]);
});
