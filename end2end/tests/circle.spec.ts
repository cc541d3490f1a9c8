/** The whole circle: a job runs, its site is redesigned, a person finds the new element, and the next run passes. */
import type { Task } from "../support/api.js";
import { ADMIN, expect, test } from "../support/fixtures.js";
import { goTo, recordingField, sendTask, signInByLink, taskState } from "../support/pages.js";
import { extract, visit } from "../support/recordings.js";
import { Room } from "../support/room.js";

test("what a redesign breaks is repaired in the browser, and the next run passes by the rule", async ({ page }) => {
  test.setTimeout(120_000);
  const room = await Room.start();
  await signInByLink(page, room.signInLink, ADMIN);
  const address = `${room.site.url}/products?category=lanterns`;
  const recording = visit("Names of the lanterns", address, extract("names", ".card-name", true));

  /** Submits the recording by the form: the task's id. */
  const submit = async (): Promise<string> => {
    await goTo(page, "Submit");
    await recordingField(page).fill(JSON.stringify(recording));
    return sendTask(page);
  };

  await test.step("submit by the form, and succeed", async () => {
    await submit();
    await expect(taskState(page)).toContainText("succeeded", { timeout: 30_000 });
    await expect(page.getByRole("region", { name: "Result" })).toContainText("lantern");
  });

  await room.site.redesign("2");
  const task = await test.step("after the redesign it escalates, with evidence", async () => {
    const id = await submit();
    await expect(taskState(page)).toContainText("escalated", { timeout: 30_000 });
    await expect(page.locator(".shot img").first()).toBeVisible();
    return id;
  });

  await test.step("the order has a title and both pictures beside each other", async () => {
    await goTo(page, "Work orders");
    await page.getByRole("link", { name: /^Step 2 of names-of-the-lanterns/ }).click();
    await expect(page.getByRole("heading", { level: 1, name: /element not found or unusable/ })).toBeVisible();
    const pictures = page.getByRole("region", { name: "Evidence" }).getByRole("img");
    await expect(pictures).toHaveCount(2);
    for (const picture of await pictures.all()) {
      await expect.poll(async () => picture.evaluate((one) => (one as HTMLImageElement).naturalWidth)).toBeGreaterThan(0);
    }
  });

  await test.step("claim it and write what was seen", async () => {
    await page.getByRole("button", { name: "Claim" }).click();
    await expect(page.getByText("You hold it.")).toBeVisible();
    await page.getByLabel("Write an annotation").fill("The shop has a **new look**.");
    await page.getByRole("button", { name: "Annotate" }).click();
    await expect(page.locator(".annotation strong", { hasText: "new look" })).toBeVisible();
  });

  await test.step("close it with the new selector, read in words before it is saved", async () => {
    await page.getByRole("radio", { name: /^Selector changed/ }).check();
    await page.getByLabel("New selectors").fill(".tile-title");
    await page.getByLabel("In your words (optional)").fill("Names are titles now.");
    await page.getByRole("button", { name: "Review" }).click();
    const review = page.getByRole("region", { name: "Close this order?" });
    await expect(review).toContainText("find the element of step 2 by “.tile-title” instead of the recorded selectors");
    await review.getByRole("button", { name: "Close the order" }).click();
    await expect(page.getByRole("region", { name: "Conclusion" })).toContainText("Names are titles now.");
  });

  await test.step("the same task succeeds by the rule", async () => {
    const state = async () => ((await (await page.request.get(`${room.url}/api/v1/tasks/${task}`)).json()) as Task).state;
    await expect.poll(state, { timeout: 30_000 }).toBe("succeeded");
    await page.goto(`${room.url}/tasks/${task}`);
    await expect(page.getByRole("region", { name: "Result" })).toContainText("lantern");
    await expect(page.getByRole("link", { name: "by a rule" }).first()).toBeVisible();
  });

  await test.step("a second one succeeds, without an order", async () => {
    await submit();
    await expect(taskState(page)).toContainText("succeeded", { timeout: 30_000 });
    await goTo(page, "Rules");
    await expect(page.getByText("On " + room.site.domain)).toBeVisible();
    const answer = await page.request.get(`${room.url}/api/v1/orders`);
    const orders = ((await answer.json()) as { items: { state: string }[] }).items;
    expect(orders.map((order) => order.state)).toEqual(["closed"]);
  });

  await room.stop();
});
