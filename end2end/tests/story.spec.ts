/** The whole way of a newcomer: the link, a recording, its live run, its result. */
import { ADMIN, expect, expectAccessible, test } from "../support/fixtures.js";
import { dropRecording, goTo, recordingField, sendTask, signInByLink, taskState } from "../support/pages.js";
import { exampleText } from "../support/recordings.js";
import { Room } from "../support/room.js";

test("signs in by the link, drops a recording, sees it run live and reads what it extracted", async ({ page }) => {
  test.setTimeout(120_000);
  // A page every four seconds leaves time to watch.
  const room = await Room.start({ SIGNALBOX_GATE__DOMAIN_PER_S: "0.25" });
  await test.step("sign in by the printed link", async () => {
    await signInByLink(page, room.signInLink, ADMIN);
    await expectAccessible(page);
  });

  await test.step("drop the recording and read its steps", async () => {
    await goTo(page, "Submit");
    await dropRecording(page, "search.json", exampleText("search-and-extract", room.site));
    await expect(recordingField(page)).toHaveValue(/"Search the lamp shop"/);
    const steps = page.getByRole("listitem");
    await expect(steps.filter({ hasText: `Go to http://${room.site.domain}/` })).toBeVisible();
    await expect(steps.filter({ hasText: "Set “Search the shop” to “{{query}}”" })).toBeVisible();
    await expect(steps.filter({ hasText: "as prices" })).toBeVisible();
    await expectAccessible(page);
  });

  await test.step("submit it with its parameter", async () => {
    await page.getByRole("textbox", { name: "query" }).fill("desk lamp");
    await sendTask(page);
    await expect(page.getByRole("heading", { level: 1, name: "Search the lamp shop" })).toBeVisible();
  });

  await test.step("see it run and succeed without a reload", async () => {
    await page.evaluate(() => Object.assign(window, { sameDocument: true }));
    await expect(taskState(page)).toContainText("running");
    const steps = page.getByRole("row");
    await expect(steps.filter({ hasText: "Press Enter" })).toContainText("running");
    await expect(taskState(page)).toContainText("succeeded", { timeout: 30_000 });
    expect(await page.evaluate(() => "sameDocument" in window)).toBe(true);
  });

  await test.step("read what it extracted", async () => {
    const result = page.getByRole("region", { name: "Result" });
    for (const text of ["Halden desk lamp", "Narvik desk lamp", "€113.95", "1–10 of 10 products"]) {
      await expect(result.getByText(text)).toBeVisible();
    }
    await expectAccessible(page);
    const searches = (await room.site.hits()).filter((hit) => hit.path === "/search");
    expect(searches.map((hit) => hit.query)).toEqual([["q"]]);
  });

  await test.step("stop the server and find nothing left of it", async () => {
    await page.goto("about:blank");
    expect(await room.stop()).toEqual([]);
  });
});
