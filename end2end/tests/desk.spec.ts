/** The reviewers' desk: claimed by one, seen by the other, closed with a rule that is read before it is saved. */
import type { APIRequestContext, Browser, Page } from "@playwright/test";

import { type Task, reaches, run } from "../support/api.js";
import { expect, expectAccessible, signedIn as test } from "../support/fixtures.js";
import { type Recording, visit } from "../support/recordings.js";
import type { Room } from "../support/room.js";

/** A recording that finds its element, or does not. */
function looks(title: string, room: Room, selector: string): Recording {
  return visit(title, `${room.site.url}/help`, { type: "click", selectors: [[selector]], timeout: 500 });
}

/** Fails a task, after one of the same flow has succeeded: the task, and the order's path. */
async function failing(request: APIRequestContext, room: Room, title: string): Promise<{ task: Task; order: string }> {
  await run(request, { flow: looks(title, room, "h1") });
  const task = await run(request, { flow: looks(title, room, "#gone") }, "escalated");
  return { task, order: `/orders/${(task as Task & { order: string }).order}` };
}

/** A page of somebody else, signed in by a link. */
async function somebody(browser: Browser, room: Room, name: string, role: string): Promise<Page> {
  const context = await browser.newContext({ baseURL: room.url, storageState: { cookies: [], origins: [] } });
  const page = await context.newPage();
  await page.goto(await room.invite(name, role));
  await page.getByLabel("Password").fill("quite another long secret");
  await page.getByRole("button").click();
  await expect(page.getByRole("heading", { level: 1, name: "Overview" })).toBeVisible();
  return page;
}

test("an order is claimed from the list, and closed with a rule that is read first", async ({ page, request, room }) => {
  const { task, order } = await failing(request, room, "Looks for help");
  await page.goto(`/tasks/${task.id}`);
  await expect(page.getByRole("link", { name: /^Work order/ }).last()).toHaveAttribute("href", order);

  await page.goto("/orders");
  await expectAccessible(page);
  const row = page.getByRole("row").filter({ hasText: "looks-for-help" });
  await row.getByRole("button", { name: /^Claim/ }).click();
  await expect(page).toHaveURL(new RegExp(order));
  await expect(page.getByText("You hold it.")).toBeVisible();
  await expectAccessible(page);
  const pictures = page.getByRole("region", { name: "Evidence" }).getByRole("img");
  await expect(pictures).toHaveCount(2);

  await page.getByRole("radio", { name: /^Selector changed/ }).check();
  await page.getByLabel("New selectors").fill("h1");
  await expect(page.getByText(/in the flow looks-for-help: find the element of step 2 by “h1”/)).toBeVisible();
  await page.getByLabel("In your words (optional)").fill("It is the **heading** now.");
  await expectAccessible(page);
  await page.getByRole("button", { name: "Review" }).click();

  const review = page.getByRole("region", { name: "Close this order?" });
  await expect(review).toContainText("find the element of step 2 by “h1”");
  await expect(review).toContainText("This rule is unproven");
  await expect(review).toContainText("1 task that waits runs again");
  await expectAccessible(page);
  await review.getByRole("button", { name: "Change" }).click();
  await expect(page.getByLabel("New selectors")).toHaveValue("h1");
  await page.getByRole("button", { name: "Review" }).click();
  await review.getByRole("button", { name: "Close the order" }).click();

  await expect(page.getByRole("status").filter({ hasText: "Closed." })).toBeVisible();
  const conclusion = page.getByRole("region", { name: "Conclusion" });
  await expect(conclusion.locator("strong", { hasText: "heading" })).toBeVisible();
  await expectAccessible(page);
  await reaches(request, task.id, "succeeded");

  await page.goto(`/tasks/${task.id}`);
  await page.getByRole("link", { name: "by a rule" }).first().click();
  await expect(page.getByText("Unproven: it became active without a proof.")).toBeVisible();
  await expectAccessible(page);
  await page.getByRole("button", { name: /^Disable/ }).click();
  await expect(page.getByRole("status").filter({ hasText: "Disabled" })).toBeVisible();
  await page.goto("/rules");
  await expectAccessible(page);
});

test("who comes second is told who holds it, and a takeover is told at once", async ({ browser, page, request, room }) => {
  const { order } = await failing(request, room, "Looks twice");
  const second = await somebody(browser, room, "grace", "reviewer");
  await second.goto(order);
  await second.getByRole("button", { name: "Claim" }).click();
  await expect(second.getByText("You hold it.")).toBeVisible();
  await expect(second.locator(".link[data-link=live]")).toBeVisible();

  await page.goto(order);
  await expect(page.getByText("grace holds it")).toBeVisible();
  await expect(page.getByRole("button", { name: "Claim" })).toBeHidden();
  // As by a page that still shows the button.
  const answer = await page.request.post("/fn/claim_order", {
    form: { id: order.slice("/orders/".length) },
    headers: { accept: "text/html", origin: room.url },
  });
  expect(await answer.text()).toContain("grace holds this order until");

  await second.getByRole("radio", { name: /^Something else/ }).check();
  await second.getByLabel("In your words (optional)").fill("I was not done.");
  await page.getByLabel("Why you take it over").fill("grace is away");
  await page.getByRole("button", { name: "Take over" }).click();
  await expect(page.getByText("You hold it.")).toBeVisible();
  await expect(second.getByText("ada has taken this order over: it is no longer yours.")).toBeVisible();
  await second.getByRole("button", { name: "Review" }).click();
  await expect(second.getByRole("alert").filter({ hasText: "ada holds this order" })).toBeVisible();
  await expect(second.getByLabel("In your words (optional)")).toHaveValue("I was not done.");
  await expectAccessible(second);
  await second.context().close();
});

test("a viewer reads what waits and is offered nothing that a viewer may not do", async ({ browser, request, room }) => {
  const { order } = await failing(request, room, "Looks for viewers");
  const viewer = await somebody(browser, room, "vera", "viewer");
  for (const path of [order, "/orders?state=all", "/rules", "/gates", "/breaker", "/quarantine"]) {
    await viewer.goto(path);
    await expect(viewer.getByRole("heading", { level: 1 })).toBeVisible();
    for (const name of [/^Claim/, "Review", "Annotate", /^Disable/, "Release", /^Open the fleet/]) {
      await expect(viewer.getByRole("button", { name }).filter({ visible: true })).toHaveCount(0);
    }
    await expectAccessible(viewer);
  }
  await viewer.goto(order);
  await expect(viewer.getByRole("region", { name: "Evidence" }).getByRole("img")).toHaveCount(0);
  await viewer.context().close();
});

test("the keys of the desk go over the rows, claim, and reach the conclusion and the annotation", async ({
  page,
  request,
  room,
}) => {
  const { order } = await failing(request, room, "Looks by key");
  await page.goto("/orders");
  const link = page.getByRole("row").filter({ hasText: "looks-by-key" }).getByRole("link");
  await expect(async () => {
    await page.locator("main").focus();
    await page.keyboard.press("j");
    await expect(link).toBeFocused({ timeout: 300 });
  }).toPass();
  await page.keyboard.press("c");
  await expect(page).toHaveURL(new RegExp(order));
  await expect(async () => {
    await page.locator("main").focus();
    await page.keyboard.press("a");
    await expect(page.getByLabel("Write an annotation")).toBeFocused({ timeout: 300 });
  }).toPass();
  await page.keyboard.type("`#gone` is **gone**");
  await page.getByRole("button", { name: "Annotate" }).click();
  await expect(page.locator(".annotation code", { hasText: "#gone" })).toBeVisible();
  await expect(async () => {
    await page.locator("main").focus();
    await page.keyboard.press("e");
    await expect(page.getByRole("radio", { name: /^Selector changed/ })).toBeFocused({ timeout: 300 });
  }).toPass();
});

test.describe("with JavaScript switched off", () => {
  test.use({ javaScriptEnabled: false });

  test("an order is claimed and closed, and a fault costs nothing that was typed", async ({ page, request, room }) => {
    const { task, order } = await failing(request, room, "Looks without script");
    await page.goto(order);
    await page.getByRole("button", { name: "Claim" }).click();
    await expect(page.getByText("You hold it.")).toBeVisible();
    await page.getByRole("radio", { name: /^Selector changed/ }).check();
    await page.getByLabel("New selectors").fill("h1\n\nmain >>");
    await page.getByLabel("In your words (optional)").fill("Typed once.");
    await page.getByRole("button", { name: "Review" }).click();
    await expect(page.getByRole("listitem").filter({ hasText: /^Line 3 / })).toBeVisible();
    await expect(page.getByLabel("In your words (optional)")).toHaveValue("Typed once.");
    await page.getByLabel("New selectors").fill("h1");
    await page.getByRole("radio", { name: /^Cancel them/ }).check();
    await page.getByRole("button", { name: "Review" }).click();
    await expect(page.getByText("1 task that waits is cancelled.")).toBeVisible();
    await page.getByRole("button", { name: "Close the order" }).click();
    await expect(page.getByRole("region", { name: "Conclusion" })).toContainText("Typed once.");
    await reaches(request, task.id, "cancelled");
    await page.getByRole("button", { name: "Reopen" }).click();
    await expect(page.getByText("Nobody holds it.")).toBeVisible();
  });
});
