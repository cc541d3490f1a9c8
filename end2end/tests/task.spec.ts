/** One task's page: why it failed, what was kept of it, and what a person can do about it. */
import { run, submit, task as read } from "../support/api.js";
import { expect, expectAccessible, signedIn as test } from "../support/fixtures.js";
import { taskState } from "../support/pages.js";
import { example, extract, visit } from "../support/recordings.js";

test("a redesigned shop fails a recording, with its fault, picture, snapshot and trace", async ({
  page,
  request,
  room,
}) => {
  test.setTimeout(90_000);
  await room.site.redesign("2");
  const recording = { ...example("search-and-extract", room.site), timeout: 1_000 };
  const parameters = { query: "lantern" };
  const failed = await run(request, { flow: recording, parameters }, "escalated").finally(() => room.site.reset());
  expect(failed.fault?.class).toBe("selector");

  await page.goto(`/tasks/${failed.id}`);
  await expect(taskState(page)).toContainText("escalated");
  await expect(page.getByText(/No element matched any of 4 selectors/).first()).toBeVisible();
  const picture = page.getByRole("img", { name: "The page when the attempt failed" }).first();
  await picture.scrollIntoViewIfNeeded();
  await expect.poll(() => picture.evaluate((img: HTMLImageElement) => img.naturalWidth)).toBeGreaterThan(300);
  await page.getByText("DOM snapshot").first().click();
  const snapshot = page.frameLocator("iframe[title^='DOM snapshot']").first();
  await expect(snapshot.getByRole("button", { name: "Find" })).toBeVisible();
  await page.getByRole("link", { name: "Console and network" }).first().click();
  await expect(page.getByRole("region", { name: /^Console and network/ })).toContainText(room.site.url);
  await expectAccessible(page);
});

test("what escalated is released by a person and succeeds once the shop is as it was", async ({ page, request, room }) => {
  await room.site.redesign("1-remove");
  const buy = visit("Buys", `${room.site.url}/products/voss-lantern`, {
    type: "click",
    selectors: [["#add-to-cart"]],
    timeout: 500,
    critical: false,
    assertedEvents: [{ type: "navigation" }],
  });
  const failed = await run(request, { flow: buy }, "escalated").finally(() => room.site.reset());
  await page.goto(`/tasks/${failed.id}`);
  await page.getByRole("button", { name: "Release" }).click();
  await expect(page.getByRole("status").filter({ hasText: "Released" })).toBeVisible();
  await expect(taskState(page)).toContainText("succeeded");
  await expect(page.getByRole("heading", { name: /^Attempt \d/ })).toHaveCount(2);
});

test("a task that waits for its time says so, and is cancelled", async ({ page, request, room }) => {
  const soon = new Date(Date.now() + 3_600_000).toISOString();
  const waiting = await submit(request, { flow: visit("Later", `${room.site.url}/help`), not_before: soon });
  await page.goto(`/tasks/${waiting.id}`);
  await expect(page.getByText("scheduled")).toBeVisible();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Cancel" }).click();
  await expect(page.getByRole("status").filter({ hasText: "Cancelled." })).toBeVisible();
  await expect(taskState(page)).toContainText("cancelled");
});

test("a task that runs is cancelled in the middle", async ({ page, request, room }) => {
  const hangs = visit("Never answers", `${room.site.url}/trouble/never`);
  const running = await submit(request, { flow: { ...hangs, timeout: 60_000 } as typeof hangs });
  await page.goto(`/tasks/${running.id}`);
  await expect(taskState(page)).toContainText("running");
  await page.getByRole("button", { name: "Cancel" }).click();
  await expect(taskState(page)).toContainText("cancelled");
});

test("a retry with edits makes a new task and keeps the old", async ({ page, request, room }) => {
  const parameters = { query: "lantern" };
  const first = await run(request, { flow: example("search-and-extract", room.site), parameters });
  await page.goto(`/tasks/${first.id}`);
  await page.getByRole("link", { name: "Retry with edits" }).click();
  await expect(page.getByRole("textbox", { name: "query" })).toHaveValue("lantern");
  await expectAccessible(page);
  await page.getByRole("textbox", { name: "query" }).fill("folding rule");
  await page.getByRole("button", { name: "Retry" }).click();
  await expect(taskState(page)).toContainText("succeeded");
  await expect(page.getByRole("region", { name: "Result" }).getByText("Halden folding rule")).toBeVisible();
  expect(page.url()).not.toContain(first.id);
  expect((await read(request, first.id)).result?.["names"]).toContain("Halden lantern");
});

test("a table is read row by row and downloads with the task", async ({ page, request, room }) => {
  const costs = visit("Delivery", `${room.site.url}/help/delivery`, extract("ways", "main tbody th", true));
  const done = await run(request, { flow: costs });
  expect(done.result).toEqual({ ways: ["Standard", "Express"] });
  await page.goto(`/tasks/${done.id}`);
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("link", { name: "Download the task as JSON" }).click(),
  ]);
  expect(file.suggestedFilename()).toBe(`task-${done.id}.json`);
});
