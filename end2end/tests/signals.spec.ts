/** Gates, breaker and quarantine as people see them. */
import { reaches, run, submit, task } from "../support/api.js";
import { expect, expectAccessible, signedIn as test } from "../support/fixtures.js";
import { visit } from "../support/recordings.js";

test("a site has its gate from its first task on", async ({ page, request, room }) => {
  await run(request, { flow: visit("Passes the gate", `${room.site.url}/help`) });
  await page.goto("/gates");
  await expect(page.getByRole("status").filter({ hasText: "Live" })).toBeVisible();
  const row = page.getByRole("row").filter({ hasText: room.site.domain });
  await expect(row).toContainText("clear");
  await expect(row).toContainText("50/s, burst 50");
  await expectAccessible(page);
  await row.getByRole("link", { name: room.site.domain }).click();
  await expect(page).toHaveURL(/\/tasks\?domain=/);
});

test("the fleet's breaker is opened with a reason, holds what waits, and is closed knowingly", async ({ page, request, room }) => {
  await page.goto("/breaker");
  await expect(page.getByRole("heading", { level: 1, name: "Breaker" })).toBeVisible();
  try {
    const open = page.getByRole("form", { name: "Open the fleet's breaker" });
    await open.getByLabel("Reason").fill("the network is down");
    await open.getByRole("button").click();
    await expect(page.getByRole("status").filter({ hasText: "The fleet's breaker is open." })).toBeVisible();
    const fleet = page.getByRole("region", { name: "The fleet's breaker" });
    await expect(fleet).toContainText("the network is down");
    await expectAccessible(page);

    const held = await submit(request, { flow: visit("Is held", `${room.site.url}/help`) });
    await expect(fleet).toContainText("1 task waits now.");
    await page.goto("/tasks");
    await expect(page.getByRole("row").filter({ hasText: "Is held" })).toContainText("breaker open");
    await page.goto("/");
    await expect(page.getByRole("region", { name: "Needs a person" })).toContainText("The breaker is open");
    await page.getByRole("banner").getByRole("link", { name: "breaker open" }).click();

    const close = page.getByRole("form", { name: "Close the fleet's breaker" });
    await close.getByLabel("Reason").fill("it is up again");
    await close.getByRole("button").click();
    // The browser asks for the tick first.
    await expect(close).toBeVisible();
    await close.getByLabel("I know that waiting tasks start at once").check();
    await close.getByRole("button").click();
    await expect(page.getByRole("status").filter({ hasText: "The fleet's breaker is closed." })).toBeVisible();
    await expect(page.getByRole("banner").getByRole("link", { name: "breaker open" })).toBeHidden();
    await reaches(request, held.id, "succeeded");
  } finally {
    await request.post("/api/v1/breaker", { data: { state: "closed", reason: "the test is over" } });
  }
});

test("a site's breaker that closes is marked in its place", async ({ page, request }) => {
  const set = (state: string) =>
    request.post("/api/v1/breaker", { data: { domain: "far.test", state, reason: "for a test" } });
  expect((await set("open")).status()).toBe(200);
  await page.goto("/breaker");
  await expect(page.getByRole("status").filter({ hasText: "Live" })).toBeVisible();
  const row = page.getByRole("row").filter({ hasText: "far.test" });
  await expect(row).toContainText("open");
  await set("closed");
  await expect(row).toContainText("closed");
  await expect(page.getByText("The breaker of far.test is closed")).toBeAttached();
});

test("an empty quarantine says what it is for", async ({ page }) => {
  await page.goto("/quarantine");
  await expect(page.getByText("Nobody is in quarantine.")).toBeVisible();
  await expectAccessible(page);
});

test("a task that crashes again and again is released, and at last discarded knowingly", async ({ page, request, room }) => {
  test.setTimeout(150_000);
  const poison = await submit(request, { flow: visit("Poison", `${room.site.url}/trouble/memory?now=1`) });
  const quarantined = () => expect.poll(async () => (await task(request, poison.id)).state, { timeout: 60_000 }).toBe("quarantined");
  await quarantined();
  await page.goto("/quarantine");
  await expect(page.getByRole("status").filter({ hasText: "Live" })).toBeVisible();
  const row = page.getByRole("row").filter({ hasText: "Poison" });
  await expect(row).toContainText("3 of 3 crashed");
  await expectAccessible(page);
  await row.getByRole("button", { name: "Release: Poison" }).click();
  await expect(page.getByRole("status").filter({ hasText: /queued again/ })).toBeVisible();
  await quarantined();

  await page.goto("/quarantine");
  await expect(row).toContainText("6 of 6 crashed");
  await row.getByText("Discard…").click();
  await expect(row).toContainText("cannot be undone");
  await row.getByRole("button", { name: "Discard for good: Poison" }).click();
  await expect(page.getByText("Nobody is in quarantine.")).toBeVisible();
  await reaches(request, poison.id, "cancelled");
});
