/** What tests start from. Each is started once for a worker, when the first test asks for it. */
import { AxeBuilder } from "@axe-core/playwright";
import { type BrowserContextOptions, type Page, expect, test as base } from "@playwright/test";

import { signInByLink } from "./pages.js";
import { Room } from "./room.js";
import { PracticeSite } from "./site.js";

/** The admin that the tests sign in as. */
export const ADMIN = { name: "ada", password: "correct horse battery staple" };

type Session = Exclude<BrowserContextOptions["storageState"], string | undefined>;

interface Shared {
  /** A practice site by itself. */
  shop: PracticeSite;
  /** A control room with wide gates. */
  room: Room;
  /** The cookies of its admin. */
  session: Session;
}

export const test = base.extend<object, Shared>({
  shop: [
    // Playwright finds what a fixture needs in its first parameter: this one needs nothing.
    async ({}, use) => {
      const shop = await PracticeSite.start();
      await use(shop);
      await shop.stop();
    },
    { scope: "worker" },
  ],
  room: [
    async ({}, use) => {
      const room = await Room.start();
      await use(room);
      await room.stop();
    },
    { scope: "worker", timeout: 90_000 },
  ],
  session: [
    async ({ browser, room }, use) => {
      const context = await browser.newContext();
      const page = await context.newPage();
      await signInByLink(page, room.signInLink, ADMIN);
      const session = await context.storageState();
      await context.close();
      await use(session);
    },
    { scope: "worker" },
  ],
});

/** The same, signed in as the admin. */
export const signedIn = test.extend({
  storageState: async ({ session }, use) => use(session),
  baseURL: async ({ room }, use) => use(room.url),
});

/** Makes sure that axe finds nothing on a page as it is. */
export async function expectAccessible(page: Page): Promise<void> {
  const { violations } = await new AxeBuilder({ page })
    .withTags(["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"])
    .analyze();
  const found = violations.map(({ id, help, nodes }) => ({ id, help, where: nodes.map((node) => node.html) }));
  expect(found, `axe on ${page.url()}`).toEqual([]);
}

export { expect };
