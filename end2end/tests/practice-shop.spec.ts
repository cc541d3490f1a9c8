/** The practice shop in a real browser: what its recordings and its trouble pages promise. */
import { expect, expectAccessible, test } from "../support/fixtures.js";

test.use({ baseURL: async ({ shop }, use) => use(shop.url) });
test.beforeEach(async ({ shop }) => shop.reset());

for (const design of ["1", "2"]) {
  test(`a lamp can be found, bought and paid for in design ${design}`, async ({ page, shop }) => {
    await page.goto(`/?design=${design}`);
    await page.getByRole("searchbox").fill("voss lantern");
    await page.getByRole("searchbox").press("Enter");
    await expectAccessible(page);
    await page.getByRole("link", { name: "Voss lantern" }).click();
    await expectAccessible(page);
    await page.getByRole("button", { name: /^(Add to cart|Put in basket)$/ }).click();
    await expectAccessible(page);
    await page.getByRole("link", { name: /^(Go to checkout|Continue to delivery)$/ }).click();
    const order = page.getByRole("button", { name: /^(Place order|Buy now)$/ });
    await order.click();
    await expect(page.getByRole("alert")).toContainText("7 fields");
    await expectAccessible(page);
    await page.getByLabel(/^(Full name|Name on the parcel)$/).fill("Grace Ekeland");
    await page.getByLabel(/^(Email address|Where we write to)$/).fill("grace@example.com");
    await page.getByLabel(/^(Street and number|Street)$/).fill("Kongens gate 12");
    await page.getByLabel(/^(Postcode|Postal code)$/).fill("1767");
    await page.getByLabel(/^(City|Town)$/).fill("Halden");
    await page.getByLabel(/^(Country|Land)$/).selectOption("NO");
    await page.getByLabel(/terms of sale/).check();
    expect(await shop.orders()).toBe(0);
    await order.click();
    await expect(page.locator("main strong")).toHaveText("H-500001");
    await expectAccessible(page);
    expect(await shop.orders()).toBe(1);
  });
}

test("the control page redesigns the shop for everyone", async ({ page }) => {
  await page.goto("/control");
  await page.getByLabel(/^Second/).check();
  await page.getByLabel("The button that buys is gone").check();
  await page.getByRole("button", { name: "Redesign" }).click();
  await expectAccessible(page);
  await page.goto("/products/voss-lantern");
  await expect(page.getByRole("button", { name: "Remember for later" })).toBeVisible();
  await expect(page.getByRole("button", { name: /cart|basket/ })).toHaveCount(0);
});

test("dialogs come on load, later, and one after the other", async ({ page }) => {
  const dialogs: string[] = [];
  page.on("dialog", (dialog) => {
    dialogs.push(`${dialog.type()}: ${dialog.message()}`);
    void dialog.accept();
  });
  const answer = page.locator("#answer");
  await page.goto("/trouble/alert");
  await expect(answer).toHaveText("went on");
  await page.goto("/trouble/alert?kind=later");
  await expect(answer).toHaveText("went on");
  await page.goto("/trouble/alert?kind=confirm");
  await expect(answer).toHaveText("yes");
  expect(dialogs).toEqual([
    "alert: A word before you go on",
    "alert: One second later",
    "confirm: Shall we go on?",
    "alert: You said yes",
  ]);
});

test("frames of this and of another origin can be used", async ({ page, shop }) => {
  await page.goto("/trouble/frame");
  for (const name of ["same", "other"]) {
    const frame = page.frameLocator(`#${name}`);
    await frame.getByLabel("Inside").fill(name);
    await frame.getByRole("button", { name: "Inner button" }).click();
    await expect(frame.locator("#inner-answer")).toHaveText(`clicked ${name}`);
  }
  expect(page.frames().map((frame) => new URL(frame.url()).host)).toContain(`localhost:${shop.port}`);
});

test("shadow roots are open at two depths", async ({ page }) => {
  await page.goto("/trouble/shadow");
  await page.locator("#deep-field").fill("down here");
  await page.locator("#in-deep-shadow").click();
  await expect(page.locator("#answer")).toHaveText("deep down here");
  await expect(page.locator("#in-closed")).toHaveCount(0);
});

test("popups open by a link and by a script", async ({ page }) => {
  for (const id of ["blank", "open"]) {
    await page.goto("/trouble/popup");
    const [popup] = await Promise.all([page.waitForEvent("popup"), page.locator(`#${id}`).click()]);
    await popup.getByRole("button", { name: "Popup button" }).click();
    await expect(popup.locator("#popup-answer")).toHaveText("clicked");
    await popup.close();
  }
});

test("the banner covers the button until it is accepted", async ({ page }) => {
  await page.goto("/trouble/cookie-banner");
  const onTop = () =>
    page.evaluate(() => {
      const box = document.getElementById("buy")?.getBoundingClientRect();
      return box && document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2)?.id;
    });
  expect(await onTop()).toBe("cookie-banner");
  await page.getByRole("button", { name: "Accept" }).click();
  expect(await onTop()).toBe("buy");
});

test("hydration that comes late loses what was typed", async ({ page }) => {
  await page.goto("/trouble/hydration");
  const field = page.getByLabel("Your message");
  await field.fill("too early");
  await expect(page.locator("#state")).toHaveText("ready");
  await expect(field).toHaveValue("");
});

test("a page with an endless image is usable and never loaded", async ({ page }) => {
  await page.goto("/trouble/endless", { waitUntil: "domcontentloaded" });
  await page.locator("#ready").click();
  await expect(page.locator("#answer")).toHaveText("clicked");
  await expect(page.locator("#loaded")).toHaveText("not loaded");
  // The image would hold the browser's close for as long as it likes.
  await page.goto("about:blank");
});

test("history changes without a load", async ({ page, shop }) => {
  await page.goto("/trouble/push-state");
  await page.getByRole("link", { name: "Second step" }).click();
  await expect(page.locator("#answer")).toHaveText("second step");
  expect((await shop.hits()).filter((hit) => hit.path === "/trouble/push-state")).toHaveLength(1);
});

test("markup in a title stays text", async ({ page }) => {
  await page.goto("/trouble/script-title");
  expect(await page.title()).toContain("<script>document.title = 'it ran'</script>");
});

test("every control tells what arrived", async ({ page }) => {
  await page.goto("/trouble/controls");
  await page.locator("#c-text").fill("t");
  await page.locator("#c-select").selectOption("b");
  await page.locator("#c-double").dblclick();
  await page.locator("#c-hover").hover();
  await page.locator("#c-context").click({ button: "right" });
  await page.locator("#c-submit").click();
  await expect(page.locator("#answer")).toHaveText("submitted");
  const said = await page.locator("#events li").allTextContents();
  for (const event of ["c-text = t", "c-select = b", "double", "hover", "context"]) expect(said).toContain(event);
});

test("the crash page ends its renderer in seconds", async ({ page }) => {
  const crash = page.waitForEvent("crash", { timeout: 20_000 });
  await page.goto("/trouble/memory?now=1", { waitUntil: "commit" });
  await crash;
});
