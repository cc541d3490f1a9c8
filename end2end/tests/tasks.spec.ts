/** The list of tasks: states, filters, what is new, and that rows live. */
import { run, submit } from "../support/api.js";
import { expect, expectAccessible, signedIn as test } from "../support/fixtures.js";
import { extract, visit } from "../support/recordings.js";

test("tasks are filtered by state and by site, and the address says so", async ({ page, request, room }) => {
  const good = visit("Reads the help", `${room.site.url}/help`, extract("title", "h1"));
  const bad = visit("Asks for what is not there", `${room.site.url}/trouble/gone`);
  await run(request, { flow: good });
  await run(request, { flow: bad }, "escalated");
  await page.goto("/tasks");
  const rows = page.getByRole("row");
  await expect(rows.filter({ hasText: "Reads the help" }).filter({ hasText: "succeeded" }).first()).toBeVisible();
  await expectAccessible(page);

  await page.getByRole("navigation", { name: "By state" }).getByRole("link", { name: /escalated/ }).click();
  await expect(page).toHaveURL(/state=escalated/);
  const failed = rows.filter({ hasText: "Asks for what is not there" });
  await expect(failed.first()).toContainText("answered 404");
  await expect(rows.filter({ hasText: "Reads the help" })).toHaveCount(0);

  await page.getByLabel("Name, parameter or key").fill("nothing is called this");
  await page.getByRole("button", { name: "Find" }).click();
  await expect(page.getByText("No task matches these filters.")).toBeVisible();
  await page.getByRole("link", { name: "Clear the filters" }).click();

  await page.getByLabel("Site").fill(room.site.domain);
  await page.getByRole("button", { name: "Find" }).click();
  await expect(page).toHaveURL(/domain=/);
  await expect(rows.filter({ hasText: "Reads the help" }).first()).toBeVisible();
  await page.getByRole("link", { name: /^take off domain/ }).click();
  await expect(page).toHaveURL(/\/tasks$/);
});

test("a row changes in its place, and what is new is announced and not pushed in", async ({ page, request, room }) => {
  const slow = visit("Takes its time", `${room.site.url}/trouble/slow?ms=3000`, extract("answer", "#answer"));
  await submit(request, { flow: slow });
  await page.goto("/tasks");
  const row = page.getByRole("row").filter({ hasText: "Takes its time" }).first();
  await expect(row).toContainText(/queued|running/);
  await expect(page.getByRole("status").filter({ hasText: "Live" })).toBeVisible();
  const before = await page.getByRole("row").count();
  await submit(request, { flow: visit("Comes later", `${room.site.url}/help`) });
  const fresh = page.getByRole("link", { name: /new task/ });
  await expect(fresh).toBeVisible();
  expect(await page.getByRole("row").count()).toBe(before);
  await expect(row).toContainText("succeeded");
  await fresh.click();
  await expect(page.getByRole("row").filter({ hasText: "Comes later" }).first()).toBeVisible();
});

test("the slash goes to the search and g with a letter to a page", async ({ page }) => {
  await page.goto("/tasks");
  await expect(page.getByRole("status").filter({ hasText: "Live" })).toBeVisible();
  // The keys listen once their code is there.
  await expect(async () => {
    await page.locator("main").focus();
    await page.keyboard.press("/");
    await expect(page.getByLabel("Name, parameter or key")).toBeFocused({ timeout: 300 });
  }).toPass();
  await page.locator("main").focus();
  await page.keyboard.press("g");
  await page.keyboard.press("p");
  await expect(page.getByRole("heading", { level: 1, name: "Pool" })).toBeVisible();
});

test("a script in a name stays text in the list", async ({ page, request, room }) => {
  const name = "<img src=x onerror=\"document.title='it ran'\">";
  await submit(request, { flow: visit("Named badly", `${room.site.url}/help`), name });
  await page.goto("/tasks");
  await expect(page.getByRole("link", { name }).first()).toBeVisible();
  expect(await page.title()).toContain("Tasks");
});
